// What a page has missed that comes back with the number of the last news it saw: its own topics, each once, and
// everything when it was too much.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { record } from '#server/actions/events.ts';
import { catchUp } from '#server/actions/live/news.ts';
import { callerOf } from '#server/actions/sessions/identities.ts';
import { findLastSeq } from '#server/db/events/events.ts';
import { findUser } from '#server/db/users/users.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

onEachDatabase('what a page missed', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });

  /** Events of somebody, of one topic or of another. */
  async function happen(ownerId: string, count: number, of: 'links' | 'account' = 'links'): Promise<void> {
    const { ctx } = app.app;
    await ctx.db.write(async (tx) => {
      for (let number = 0; number < count; number++)
        if (of === 'links') {
          const object = { kind: 'link', id: `link-${number}` } as const;
          await record(ctx, tx, systemCaller, { action: 'link.changed', object, ownerId, facts: { receipts: true } });
        } else {
          const object = { kind: 'user', id: ownerId } as const;
          await record(ctx, tx, systemCaller, {
            action: 'profile.changed',
            object,
            ownerId,
            facts: { fields: ['name'] },
          });
        }
    });
  }
  async function somebody(name: string) {
    const id = idOf(await newPerson(app, name));
    const caller = callerOf((await findUser(app.app.ctx.db.read, id))!, systemCaller.from);
    return { id, missed: (afterSeq: number) => catchUp(app.app.ctx, caller, afterSeq) };
  }
  const last = () => findLastSeq(app.app.ctx.db.read);

  test('is told by topic, each once, with what came for them, and without what others did', async () => {
    const [ann, ben] = [await somebody('ann'), await somebody('ben')];
    // News shortly before the number are told again, so these are far enough away.
    await happen(ben.id, 101, 'account');
    const seen = await last();
    await happen(ann.id, 3);
    await happen(ben.id, 2, 'account');
    const topics = await ann.missed(seen);
    assert.equal(topics[0], 'received');
    assert.ok(topics.includes('links') && !topics.includes('account'), topics.join());
    assert.equal(new Set(topics).size, topics.length);
  });

  test('includes the hundred numbers before the last one seen, whose events may have come later, and no more', async () => {
    const [cleo, dana] = [await somebody('cleo'), await somebody('dana')];
    await happen(dana.id, 150);
    await happen(cleo.id, 1);
    const own = await last();
    await happen(dana.id, 150);
    assert.ok((await cleo.missed(own + 99)).includes('links'));
    assert.ok(!(await cleo.missed(own + 100)).includes('links'));
  });

  test('is everything for more than five hundred events, and not for five hundred', async () => {
    const [eve, dora] = [await somebody('eve'), await somebody('dora')];
    await happen(dora.id, 101);
    const seen = await last();
    await happen(eve.id, 500);
    assert.deepEqual((await eve.missed(seen)).slice(0, 1), ['received']);
    await happen(dora.id, 10);
    assert.deepEqual((await eve.missed(seen)).slice(0, 1), ['received'], 'those of others do not count');
    await happen(eve.id, 1);
    assert.deepEqual(await eve.missed(seen), ['everything']);
  });
});
