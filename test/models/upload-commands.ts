// Commands for fast-check that upload to the service and to the model, and compare both.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isBehindNginx } from '#test/kit/outside.ts';
import {
  type ChunkSpec,
  interleavings,
  type Opened,
  type Outcome,
  type Target,
  type UploadModel,
  variantCount,
} from './upload-model.ts';
import type { Seen, UploadWorld } from './upload-world.ts';

type Command = fc.AsyncCommand<UploadModel, UploadWorld>;

interface Draft {
  family: 'link' | 'message';
  name: string;
  chunks: number;
  number: number;
  variant: number;
  target: 'named' | 'new' | 'known' | 'wrong';
  pick: number;
  isAnnounced: boolean;
}

const draft: fc.Arbitrary<Draft> = fc.record({
  // Few names, so that chunks meet.
  family: fc.constantFrom('link', 'link', 'link', 'message'),
  name: fc.constantFrom('a.bin', 'a.bin', 'b.bin'),
  chunks: fc.constantFrom(2, 2, 2, 3, 1),
  number: fc.nat(2),
  variant: fc.constantFrom(0, 0, 0, 1, 1, variantCount - 1),
  target: fc.constantFrom('named', 'named', 'named', 'known', 'new', 'wrong'),
  pick: fc.nat(100),
  isAnnounced: fc.boolean(),
});

/** Resolves a draft to a chunk of an existing session. */
function chunkOf(plan: Draft, model: UploadModel, world: UploadWorld): ChunkSpec {
  const chunk = { ...plan, number: plan.number % plan.chunks };
  const known = model.sessions.filter((session) => session.chunks > 1 && world.ids.has(session.reference));
  const session = known[plan.pick % Math.max(known.length, 1)];
  if (plan.chunks === 1 || plan.target === 'named' || plan.target === 'new' || session === undefined)
    return { ...chunk, target: plan.target === 'new' ? 'new' : 'named' };
  const target: Target = { session: session.reference };
  if (plan.target === 'wrong') return { ...chunk, target };
  return {
    ...chunk,
    family: session.family,
    name: session.name,
    chunks: session.chunks,
    number: plan.number % session.chunks,
    target,
  };
}

const chunkName = ({ name, family, chunks, number, variant, target, pick, isAnnounced }: Draft) =>
  `${family} ${name} ${number}/${chunks} v${variant} ${target}${target === 'known' || target === 'wrong' ? pick : ''}${isAnnounced ? '' : ' unannounced'}`;

function sendChunk(plan: Draft): Command {
  return {
    check: () => true,
    async run(model, world) {
      const spec = chunkOf(plan, model, world);
      const given = await world.send(spec);
      world.demand(model, model.send(spec), given);
    },
    toString: () => `send(${chunkName(plan)})`,
  };
}

/** Several concurrently: one serial order must explain the results. */
function sendTogether(plans: Draft[]): Command {
  return {
    // Refusals at the edge of the quota depend on reservations in flight; another test covers them.
    check: (model) => model.storedBytes + model.reservedBytes + plans.length * 70_000 <= model.quotaBytes,
    async run(model, world) {
      const specs = plans.map((plan) => ({ ...chunkOf(plan, model, world), isAnnounced: true }));
      const given = await Promise.all(specs.map((spec) => world.send(spec)));
      const explanation = await explain(model, world, specs, given);
      assert.ok(explanation, `no order explains ${JSON.stringify(given)} for ${JSON.stringify(specs)}`);
      Object.assign(model, explanation);
    },
    toString: () => `together(${plans.map(chunkName).join('; ')})`,
  };
}

async function explain(
  model: UploadModel,
  world: UploadWorld,
  specs: ChunkSpec[],
  given: Seen[],
): Promise<UploadModel | null> {
  const tried = new Set<string>();
  for (const order of interleavings(specs.length)) {
    const copy = model.clone();
    const opened: (Opened | Outcome)[] = [];
    const outcomes: Outcome[] = [];
    for (const index of order) {
      if (opened[index] === undefined) opened[index] = copy.open(specs[index]!);
      else outcomes[index] = 'kind' in opened[index] ? opened[index] : copy.store(opened[index]);
    }
    const ids = new Map(world.ids);
    if (!outcomes.every((outcome, index) => world.fits(outcome, given[index]!, ids))) continue;
    const state = JSON.stringify(
      copy.sessions.map((session) => [session, [...session.received], ids.get(session.reference)]),
    );
    if (tried.has(state)) continue;
    tried.add(state);
    const before = new Map(world.ids);
    for (const [reference, id] of ids) world.ids.set(reference, id);
    const agreements = await Promise.all(copy.sessions.map((session) => world.agrees(session)));
    if (agreements.every(Boolean)) return copy;
    world.ids.clear();
    for (const [reference, id] of before) world.ids.set(reference, id);
  }
  return null;
}

function hold(plan: Draft): Command {
  return {
    check: (model) => model.heldCount < 3,
    async run(model, world) {
      // An empty body would end immediately.
      const spec = { ...chunkOf(plan, model, world), variant: plan.variant % 2, isAnnounced: true };
      const opened = model.open(spec);
      const given = await world.hold(spec);
      if ('kind' in opened) {
        assert.ok('status' in given, 'the body was invited although the chunk must be refused');
        world.demand(model, opened, given);
        return;
      }
      assert.ok('upload' in given, `refused beforehand: ${JSON.stringify(given)}`);
      world.held.push({ ...given, opened });
      model.heldCount += 1;
    },
    toString: () => `hold(${chunkName(plan)})`,
  };
}

/** Bytes need no lease for this long (actions/uploads/leases.ts). */
const longestUnleasedMs = 25 * 60_000;

function endHeld(pick: number, how: 'finish' | 'cut'): Command {
  return {
    check: (model) => model.heldCount > 0,
    async run(model, world) {
      const [held] = world.held.splice(pick % world.held.length, 1);
      model.heldCount -= 1;
      if (how === 'finish') {
        const given = await world.finish(held!);
        // Bytes that took longer than the sweep waits, by a clock that jumped, may be refused, never lost silently.
        const isRefused = given.status === 503 && model.now - held!.opened.begunAt >= longestUnleasedMs;
        if (isRefused) model.cut(held!.opened);
        else world.demand(model, model.store(held!.opened), given);
      } else {
        held!.upload.cut();
        model.cut(held!.opened);
        await world.settled();
      }
    },
    toString: () => `${how}(${pick})`,
  };
}

function complete(pick: number, variant: number): Command {
  return {
    check: (model) => model.sessions.some((session) => session.state === 'open' && session.chunks > 1),
    async run(model, world) {
      const open = model.sessions.filter((session) => session.state === 'open' && world.ids.has(session.reference));
      const session = open[pick % Math.max(open.length, 1)];
      if (session === undefined) return;
      for (let number = 0; number < session.chunks; number++) {
        if (session.received.has(number)) continue;
        const { family, name, chunks, reference } = session;
        const spec = { family, name, chunks, number, variant, target: { session: reference }, isAnnounced: true };
        const given = await world.send(spec);
        world.demand(model, model.send(spec), given);
      }
    },
    toString: () => `complete(${pick}, v${variant})`,
  };
}

const moments = [1_000, 59_999, 60_000, 3_600_000, 24 * 3_600_000 - 61_000, 24 * 3_600_000 + 1];

function advance(ms: number): Command {
  return {
    check: () => true,
    async run(model, world) {
      world.app.clock.advance(ms);
      model.now += ms;
    },
    toString: () => `advance(${ms})`,
  };
}

const restart: Command = {
  check: (model) => model.heldCount === 0,
  run: (_model, world) => world.restart(),
  toString: () => 'restart',
};

const runJobs: Command = {
  check: () => true,
  async run(model, world) {
    await world.runJobs();
    model.runJobs(world.held.map(({ opened }) => opened));
  },
  toString: () => 'jobs',
};

function useFile(pick: number, how: 'bind' | 'unbind' | 'delete'): Command {
  return {
    check: (model) => model.sessions.some((session) => session.file !== null),
    async run(model, world) {
      const files = model.sessions.filter((session) => session.file !== null);
      const session = files[pick % files.length]!;
      const file = session.file!;
      if (how === 'bind') {
        assert.equal(await world.bind(session), file.isErased ? 422 : 200);
        if (file.isErased) return;
        file.links.push(world.links.size - 1);
        file.eraseAt = null;
      } else if (how === 'unbind') {
        const link = file.links.pop();
        if (link === undefined) return;
        await world.person.expect(200, 'deleteFileLink', { params: { id: world.links.get(link)! } });
        if (file.links.length === 0) model.erase(session);
      } else {
        const status = file.isErased ? 404 : file.links.length > 0 ? 422 : 200;
        await world.person.expect(status, 'deleteAttachment', { params: { id: world.ids.get(session.reference)! } });
        if (status === 200) model.erase(session);
      }
    },
    toString: () => `${how}(${pick})`,
  };
}

/** All commands; sending is the most frequent. */
export const uploadCommands: fc.Arbitrary<Command>[] = [
  draft.map(sendChunk),
  draft.map(sendChunk),
  draft.map(sendChunk),
  fc.array(draft, { minLength: 2, maxLength: 3 }).map(sendTogether),
  fc
    .tuple(draft, fc.array(fc.record({ number: fc.nat(2), variant: fc.nat(1) }), { minLength: 2, maxLength: 3 }))
    .map(([plan, others]) => sendTogether(others.map((other) => ({ ...plan, ...other })))),
  // nginx invites bodies on its own, which hides whether the service has begun.
  ...(isBehindNginx ? [] : [draft.map(hold)]),
  fc.tuple(fc.nat(5), fc.constantFrom('finish', 'finish', 'cut')).map(([pick, how]) => endHeld(pick, how)),
  fc.tuple(fc.nat(5), fc.nat(1)).map(([pick, variant]) => complete(pick, variant)),
  fc.constantFrom(...moments).map(advance),
  fc.constant(restart),
  fc.constant(runJobs),
  fc.tuple(fc.nat(5), fc.constantFrom('bind', 'unbind', 'delete')).map(([pick, how]) => useFile(pick, how)),
];
