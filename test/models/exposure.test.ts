// Exposure statements over random histories, compared with a model line by line: per person, address, key and network.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { z } from 'zod';
import type { exposureStatement } from '#contract/admin/statements.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { withIds } from '#test/kit/references.ts';
import { idOf } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { forEver, hour, type Known, outside, type Span, type Step, type Taken, World } from './exposure-world.ts';

const runs = 6;
const by = fc.constantFrom(0 as const, 1 as const);
const days = fc.integer({ min: 0, max: 4 });
const size = fc.integer({ min: 1, max: 5000 });
const which = fc.nat();
const isOutside = fc.boolean();
const one = <Fields extends Record<string, fc.Arbitrary<unknown>>>(weight: number, fields: Fields) => ({
  weight,
  arbitrary: fc.record(fields) as fc.Arbitrary<never>,
});
const step: fc.Arbitrary<Step> = fc.oneof(
  one(4, { do: fc.constant('send'), by, toOther: fc.boolean(), toOutside: fc.boolean(), days, size }),
  one(2, { do: fc.constant('link'), by, days, size }),
  one(5, { do: fc.constant('take'), which, part: fc.integer({ min: 1, max: 100 }) }),
  one(3, { do: fc.constantFrom('stop', 'handOver', 'handOver'), which }),
  one(2, { do: fc.constant('extend'), which, days: fc.integer({ min: 1, max: 3 }) }),
  one(4, { do: fc.constantFrom('letIn', 'turnAway'), which, isOutside }),
  one(1, { do: fc.constant('key'), by, days }),
  one(1, { do: fc.constant('endKey'), by }),
  one(4, { do: fc.constant('wait'), hours: fc.integer({ min: 1, max: 50 }) }),
);

/** One transfer in one way; instants as in the statement. */
interface Line {
  id: string;
  way: string;
  address: string;
  from: string;
  until: string;
  size: number;
  open_now: boolean;
}

interface Figures {
  transfers: number;
  reachable: number;
  open: number;
  list: Line[];
  downloads: number;
  left: number;
  departures: { to: string; ip: string; bytes: number; at: string; requests: number[] }[];
}

/** A way to reach a transfer, and when it was open to the subject of the statement. */
interface Reach {
  way: 'own' | 'received' | 'touched';
  address: string;
  spans: readonly Span[];
}

const iso = (instant: number) => new Date(instant).toISOString();
const anyTime = [{ from: 0, to: forEver }];

function overlap(some: readonly Span[], others: readonly Span[]): Span[] {
  return some
    .flatMap((a) => others.map((b) => ({ from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) })))
    .filter(({ from, to }) => from < to)
    .sort((a, b) => a.from - b.from);
}

const byText = (a: Line, b: Line) => (`${a.id} ${a.way}` < `${b.id} ${b.way}` ? -1 : 1);

/** The expected statement: reach may cover a shorter span than downloads. */
function expected(
  world: World,
  { span, within = span }: { span: Span; within?: Span },
  reachesOf: (transfer: Known) => Reach[],
  leaves: (one: Taken) => boolean,
): Figures {
  const list = world.transfers.flatMap((transfer) =>
    reachesOf(transfer).flatMap(({ way, address, spans }): (Line & { bytes: number })[] => {
      const live = overlap(overlap(transfer.open, spans), [within]);
      if (live.length === 0) return [];
      const isNow = overlap(transfer.open, spans).some(({ from, to }) => from <= world.now && world.now < to);
      const [from, until] = [iso(live[0]!.from), iso(live.at(-1)!.to)];
      return [
        { id: transfer.id, way, address, from, until, size: transfer.size, open_now: isNow, bytes: transfer.size },
      ];
    }),
  );
  const sizes = new Map(list.map(({ id, bytes }) => [id, bytes]));
  const gone = world.taken.filter((each) => leaves(each) && each.at >= span.from && each.at < span.to);
  const departures = [...Map.groupBy(gone, ({ download }) => download).values()].map((requests) => {
    const { to, ip, at } = requests[0]!;
    const parts = requests.map(({ bytes }) => bytes);
    return { to, ip, bytes: parts.reduce((sum, bytes) => sum + bytes, 0), at: iso(at), requests: parts };
  });
  return {
    transfers: sizes.size,
    reachable: [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0),
    open: new Set(list.filter((line) => line.open_now).map(({ id }) => id)).size,
    list: list.map(({ bytes: _, ...line }) => line).sort(byText),
    downloads: departures.length,
    left: gone.reduce((sum, { bytes }) => sum + bytes, 0),
    departures,
  };
}

onOneEngine('what was exposed', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web', WAYBILL_TRUST_PROXY: '127.0.0.1' } });
  let number = 0;

  async function stated(subject: Record<string, string>, span: Span): Promise<Figures> {
    const exposure = { ...subject, from: iso(span.from), to: iso(span.to) };
    const { body } = await app.admin.expect(200, 'stateExposure', { body: { exposure } });
    const { reachable, left, closed } = (await withIds(app, body as { statement: z.input<typeof exposureStatement> }))
      .statement.findings;
    return {
      transfers: reachable.transfers,
      reachable: reachable.bytes,
      open: closed.open,
      list: reachable.list
        .map(({ id, way, address, from, until, size, open_now }) => ({ id, way, address, from, until, size, open_now }))
        .sort(byText),
      downloads: left.downloads,
      left: left.bytes,
      departures: left.list.map(({ to, ip, bytes, at, requests }) => ({
        to,
        ip,
        bytes,
        at,
        requests: requests!.map((request) => request.bytes),
      })),
    };
  }

  async function checkSpan(world: World, span: Span): Promise<void> {
    const received = (transfer: Known, address: string): Reach[] =>
      transfer.access.has(address) ? [{ way: 'received', address, spans: transfer.access.get(address)! }] : [];
    for (const [index, who] of world.people.entries()) {
      const reachesOf = (transfer: Known): Reach[] => {
        const owned = transfer.owners.filter((owner) => owner.who === index);
        const isOwnThroughout = owned.length === transfer.owners.length;
        return [
          ...(owned.length === 0 ? [] : [{ way: 'own' as const, address: '', spans: owned }]),
          ...(isOwnThroughout ? [] : received(transfer, who.email)),
        ];
      };
      const ofUser = expected(world, { span }, reachesOf, ({ owner, to }) => owner === index || to === who.email);
      assert.deepEqual(await stated({ user: idOf(who) }, span), ofUser, 'a person');
      for (const key of world.keys.filter((each) => each.who === index)) {
        const within = { from: Math.max(span.from, key.from), to: Math.min(span.to, key.to) };
        const ofKey = expected(world, { span, within }, reachesOf, ({ keyId }) => keyId === key.id);
        assert.deepEqual(await stated({ api_key: key.id }, span), ofKey, 'a key');
      }
    }
    for (const address of [...world.people.map(({ email }) => email), outside]) {
      const own = new Set(world.transfers.map(({ id }) => id));
      const ofAddress = expected(
        world,
        { span },
        (one) => received(one, address),
        ({ to }) => to === address,
      );
      const said = await stated({ address }, span);
      // Other histories wrote to the stranger too.
      const list = said.list.filter(({ id }) => own.has(id));
      assert.deepEqual(list, ofAddress.list, 'an address');
      if (address !== outside) assert.deepEqual(said, ofAddress, 'an address');
    }
    for (const ip of world.ips) {
      const isSeen = ({ touches }: Known) =>
        touches.some((touch) => touch.ip === ip && touch.at >= span.from && touch.at < span.to);
      const reachesOf = (one: Known): Reach[] => (isSeen(one) ? [{ way: 'touched', address: '', spans: anyTime }] : []);
      const ofNetwork = expected(world, { span }, reachesOf, (each) => each.ip === ip);
      assert.deepEqual(await stated({ ip }, span), ofNetwork, 'a network');
    }
  }

  test('is exact for every person, key, network and span', async () => {
    const spans = fc.array(fc.tuple(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 1, max: 120 })), {
      minLength: 1,
      maxLength: 2,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 18 }), spans, async (steps, some) => {
        const begun = app.clock.now();
        const world = new World(app, ++number);
        await world.begin();
        await world.live(steps);
        for (const [after, hours] of some)
          await checkSpan(world, { from: begun + after * hour, to: begun + (after + hours) * hour });
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });
});
