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

onEachDatabase('events that a page missed', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });

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
  async function newOwner(name: string) {
    const id = idOf(await newPerson(app, name));
    const caller = callerOf((await findUser(app.app.ctx.db.read, id))!, systemCaller.from);
    return { id, missed: (afterSeq: number) => catchUp(app.app.ctx, caller, afterSeq) };
  }
  const last = () => findLastSeq(app.app.ctx.db.read);

  test('are returned by topic, each once, with items received by the user, and without those of others', async () => {
    const [ann, ben] = [await newOwner('ann'), await newOwner('ben')];
    // Events shortly before the number are repeated, so these are far enough away.
    await happen(ben.id, 101, 'account');
    const seen = await last();
    await happen(ann.id, 3);
    await happen(ben.id, 2, 'account');
    const topics = await ann.missed(seen);
    assert.equal(topics[0], 'received');
    assert.ok(topics.includes('links') && !topics.includes('account'), topics.join());
    assert.equal(new Set(topics).size, topics.length);
  });

  test('include the hundred numbers before the last one seen, whose events may have come later, and no more', async () => {
    const [cleo, dana] = [await newOwner('cleo'), await newOwner('dana')];
    await happen(dana.id, 150);
    await happen(cleo.id, 1);
    const own = await last();
    await happen(dana.id, 150);
    assert.ok((await cleo.missed(own + 99)).includes('links'));
    assert.ok(!(await cleo.missed(own + 100)).includes('links'));
  });

  test('are replaced by "everything" for more than five hundred events, and not for five hundred', async () => {
    const [eve, dora] = [await newOwner('eve'), await newOwner('dora')];
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
