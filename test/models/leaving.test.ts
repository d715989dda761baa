// Statements about leavers over random histories: shares, submissions, credentials. Each statement is compared with a model.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { onOneEngine } from '#test/kit/app.ts';
import { chargeOf } from '#test/kit/inside.ts';
import { withIds } from '#test/kit/references.ts';
import { idOf } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { type Findings, keptHours, type Step, World } from './leaving-world.ts';

const runs = 8;
const person = fc.constantFrom(0 as const, 1 as const);
const days = fc.integer({ min: 0, max: 3 });
const size = fc.integer({ min: 1, max: 3000 });
const which = fc.nat();
const one = <Fields extends Record<string, fc.Arbitrary<unknown>>>(weight: number, fields: Fields) => ({
  weight,
  arbitrary: fc.record(fields) as fc.Arbitrary<never>,
});
const step: fc.Arbitrary<Step> = fc.oneof(
  one(6, { do: fc.constantFrom('send', 'link', 'request'), by: person, days, size, isReusable: fc.boolean() }),
  one(2, { do: fc.constant('answer'), which, size }),
  one(2, { do: fc.constant('drop'), size, isDelivered: fc.boolean() }),
  one(2, { do: fc.constantFrom('stop', 'handOver'), which }),
  one(1, { do: fc.constant('key'), days }),
  one(1, { do: fc.constant('session'), isKept: fc.boolean() }),
  one(2, { do: fc.constantFrom('reset', 'prove') }),
  one(1, { do: fc.constant('chunk'), size }),
  one(1, { do: fc.constant('openDrop'), isOpen: fc.boolean() }),
  one(2, { do: fc.constant('wait'), hours: fc.constantFrom(1, 2, 11, 25, 50) }),
);
const history = fc.array(step, { minLength: 3, maxLength: 14 });
const leaving = fc.record({ steps: history, hasNewOwner: fc.boolean() });

onOneEngine('what ends when a person leaves', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let group: string;
  let number = 0;
  before(async () => {
    group = await app.group('Sales', { filedrop_confirm_sender: false, session_hours: keptHours });
  });

  async function askToLeave(world: World, hasNewOwner: boolean) {
    const [ann, ben] = world.people;
    const body = { leave: { hand_over_to: hasNewOwner ? idOf(ben) : null, reason: 'Last day' } };
    const reply = await app.admin.expect(200, 'leaveUser', { params: { id: idOf(ann) }, body });
    return reply.body as { statement: { id: string; findings: Findings }; note: string };
  }

  async function noticesTo(email: string): Promise<number> {
    const rows = app.app.ctx.db.read.selectFrom('outbox').select('id').where('recipient', '=', email);
    return (await rows.where('kind', '=', 'security-notice').execute()).length;
  }

  async function accessLeft(world: World): Promise<Record<string, number>> {
    const { read } = app.app.ctx.db;
    const id = idOf(world.people[0]);
    const [keys, sessions, links, drops, uploads, proofs] = await Promise.all([
      read.selectFrom('api_keys').select('id').where('user_id', '=', id).execute(),
      read.selectFrom('sessions').select('user_id').where('user_id', '=', id).execute(),
      read
        .selectFrom('one_time_tokens')
        .select('kind')
        .where('user_id', '=', id)
        .where('used_at', 'is', null)
        .execute(),
      read.selectFrom('drop_keys').select('id').where('owner_id', '=', id).where('state', '=', 'open').execute(),
      read.selectFrom('uploads').select('id').where('owner_id', '=', id).where('state', '=', 'open').execute(),
      read
        .selectFrom('proofs')
        .select('address')
        .where('address', 'in', [world.people[0].email, world.alias])
        .execute(),
    ]);
    const left = { keys, sessions, links, drops, uploads, proofs };
    return Object.fromEntries(Object.entries(left).map(([what, rows]) => [what, rows.length]));
  }

  async function leaveAndCheck(world: World, hasNewOwner: boolean): Promise<void> {
    const [ann, ben] = world.people;
    const noticesBefore = await noticesTo(ben.email);
    const expected = world.leave(hasNewOwner);
    const answer = await askToLeave(world, hasNewOwner);
    assert.deepEqual(await withIds(app, answer.statement.findings), expected);
    assert.deepEqual(await askToLeave(world, hasNewOwner), answer, 'the same call again');
    assert.equal((await noticesTo(ben.email)) - noticesBefore, expected.handed_over.transfers.length > 0 ? 1 : 0);
    const none = { keys: 0, sessions: 0, links: 0, drops: 0, uploads: 0, proofs: 0 };
    assert.deepEqual(await accessLeft(world), none);
    await ann.expect(401, 'getAccount');
    for (const { id, owner, state, until } of world.shared) {
      const now = await world.transfer(id);
      const shown = state === 'open' && until <= world.now ? 'expired' : state;
      assert.deepEqual([now.owner.id, now.state], [idOf(world.people[owner]), shown]);
    }
    for (const [index, who] of world.people.entries()) {
      const kept = world.shared.filter(({ owner }) => owner === index);
      const { storedBytes } = await chargeOf(app, who.email);
      assert.equal(
        storedBytes,
        kept.reduce((sum, { size }) => sum + size, 0),
        'what they are charged with',
      );
    }
  }

  test('is exact for every history, also of a person who returned and leaves again', async () => {
    await fc.assert(
      fc.asyncProperty(leaving, fc.option(leaving), async (first, second) => {
        const world = new World(app, ++number);
        await world.begin(group);
        for (const { steps, hasNewOwner } of second === null ? [first] : [first, second]) {
          if (world.keys.length === 0) await world.comeBack();
          await world.live(steps);
          await leaveAndCheck(world, hasNewOwner);
        }
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });
});
