// Sets up a world of the rank model in the service. Each call runs in its real transaction, which is then rolled back.
import type { Ctx } from '#server/actions/context.ts';
import { changeGroup } from '#server/actions/groups/groups.ts';
import { callerOf } from '#server/actions/sessions/identities.ts';
import { listEventsOf } from '#server/db/events/events.ts';
import { insertSystemDrop } from '#server/db/filedrops/system-drops.ts';
import type { Query, Tx } from '#server/db/schema/schema.ts';
import { insertSession } from '#server/db/sessions/sessions.ts';
import { insertTask } from '#server/db/system/tasks.ts';
import { findUser, findUserByEmail } from '#server/db/users/users.ts';
import type { UserCaller } from '#server/domain/caller.ts';
import { Problem } from '#server/domain/problem.ts';
import type { Role } from '#server/domain/roles.ts';
import { newDrop } from '#server/domain/system-drops.ts';
import type { TestApp } from '#test/kit/app.ts';
import { counterOf } from '#test/kit/counters.ts';
import { share } from '#test/kit/shared-files.ts';
import { type Body, groupIds, reading, runRankCall, runReachCall, type Stage } from './rank-calls.ts';
import { groupNames, type Outcome, type Person, type RankCall, type World } from './rank-model.ts';
import { type ReachCall, reachNames } from './rank-reach.ts';

const from = { address: '127.0.0.1', agent: 'test', requestId: 'test' };
const dayMs = 86_400_000;

/** Thrown at the end of a permitted call, with the result of its transaction. */
class RolledBack extends Error {
  readonly outcome: Outcome;
  constructor(outcome: Outcome) {
    super('rolled back');
    this.outcome = outcome;
  }
}

export class RankWorld {
  readonly #app: TestApp;
  readonly #ctx: Ctx;
  #stage: Stage = { bodies: [], successorId: '', laterDay: '', entries: new Map() };
  #entered: World | null = null;
  readonly #callers = new Map<number, UserCaller>();
  #keys = new Map<string, string>();

  constructor(app: TestApp) {
    this.#app = app;
    this.#ctx = app.app.ctx;
  }

  /** The people and groups; disables the first administrator of the installation. */
  async create(people: number): Promise<void> {
    await this.#app.group('Auditors', { role: 'auditor' });
    await this.#app.group('Team');
    const bodies: Body[] = [];
    for (let index = 0; index < people; index++) bodies.push(await this.#embody(`p${index}`));
    await this.#app.person('successor');
    this.#stage = {
      bodies,
      successorId: 'successor-example-com',
      laterDay: this.#dayAfter(3),
      entries: await this.#teamHistory(),
    };
    await this.#ctx.db.write(async (tx) => {
      await tx.updateTable('users').set({ state: 'disabled' }).where('email', '=', 'root@example.com').execute();
      await tx.updateTable('users').set({ totp_state: 'on' }).where('id', 'in', this.#ids).execute();
      this.#keys = await keyOfEach(tx);
    });
  }

  get #ids(): string[] {
    return this.#stage.bodies.map(({ id }) => id);
  }

  #dayAfter(days: number): string {
    return new Date(this.#app.clock.now() + days * dayMs).toISOString().slice(0, 10);
  }

  /** A person with a session, link, started upload, task, drop page and locked sign-in. */
  async #embody(name: string): Promise<Body> {
    const email = `${name}@example.com`;
    const id = `${name}-example-com`;
    const client = await this.#app.person(name, { email });
    const { linkId } = await share(client, { bytes: 'x', link: { expires_at: this.#dayAfter(1) } });
    const begun = { filename: 'begun.bin', chunks: '2', chunk: '0' };
    await client.expect(200, 'uploadForLink', { query: begun, bytes: 'x' });
    const taskId = `task-of-${name}`;
    const now = this.#ctx.clock.now();
    const subject = { account: id, place: '' };
    const closed = counterOf(this.#ctx, 'secondStep', subject, { failures: 9, window_ends_at: now + 100 * dayMs });
    await this.#ctx.db.write(async (tx) => {
      const times = { createdAt: now, activeAt: now, expiresAt: now + 100 * dayMs };
      const session = { idHash: Buffer.from(id), userId: id, state: 'active', isKept: true } as const;
      await insertSession(tx, { ...session, ...times, address: '', agent: '', hasSecondStep: false });
      await insertTask(tx, { id: taskId, kind: 'transfers', input: {}, startedBy: id, total: 1, createdAt: now });
      await tx.insertInto('attempts').values(closed).execute();
      const drop = { ...newDrop, id: `drop-of-${name}`, name, title: name, receivers: [id], isOpen: false };
      await insertSystemDrop(tx, { ...drop, createdAt: now, updatedAt: now });
    });
    const { read } = this.#ctx.db;
    const upload = read.selectFrom('uploads').select('id').where('owner_id', '=', id).where('state', '=', 'open');
    return {
      id,
      email,
      linkId,
      taskId,
      dropId: `drop-of-${name}`,
      sessionName: Buffer.from(id).subarray(0, 11).toString('hex'),
      uploadId: (await upload.executeTakeFirstOrThrow()).id,
      lockId: this.#ctx.keys.hash('lock', closed.key).toString('base64url').slice(0, 22),
    };
  }

  /** Gives the team each role once, so that its history can set each of them again. */
  async #teamHistory(): Promise<Map<Role, number>> {
    const { db } = this.#ctx;
    const root = callerOf((await findUserByEmail(db.read, 'root@example.com'))!, from);
    const entries = new Map<Role, number>();
    const roles: Role[] = ['user', 'auditor', 'administrator', 'system_administrator'];
    for (const [index, role] of roles.entries()) {
      const next = roles[(index + 1) % roles.length];
      await changeGroup(this.#ctx, root, 'team', { rights: { role: next }, policy: {} });
      const [event] = await listEventsOf(db.read, { kind: 'group', id: 'team' }, ['group.changed'], { size: 1 });
      entries.set(role, event!.seq);
    }
    return entries;
  }

  async enter(world: World): Promise<void> {
    const before = this.#entered;
    if (before === world) return;
    this.#entered = world;
    this.#callers.clear();
    await this.#ctx.db.write(async (tx) => {
      await tx.updateTable('groups').set({ role: world.teamRole }).where('id', '=', 'team').execute();
      for (const [index, { group, state }] of world.people.entries()) {
        const old = before?.people[index];
        if (old?.group === group && old.state === state) continue;
        const place = { group_id: groupIds[group], state } as const;
        await tx.updateTable('users').set(place).where('id', '=', this.#ids[index]!).execute();
      }
    });
  }

  async #callerIn(index: number): Promise<UserCaller> {
    const caller = this.#callers.get(index) ?? callerOf((await findUser(this.#ctx.db.read, this.#ids[index]!))!, from);
    this.#callers.set(index, caller);
    return caller;
  }

  /** The result of the call, or null when it is refused. Other errors are faults. */
  async attempt(callerIndex: number, call: RankCall | ReachCall): Promise<Outcome | null> {
    const caller = await this.#callerIn(callerIndex);
    const scene = { ctx: this.#dryCtx(0), counting: this.#dryCtx(1), caller, stage: this.#stage };
    try {
      await (isReachCall(call) ? runReachCall(scene, call) : runRankCall(scene, call));
      if (reading.has(call.is)) return await this.#outcome(this.#ctx.db.read);
      throw new Error(`${call.is} changed nothing and was not refused`);
    } catch (error) {
      if (error instanceof Problem) return null;
      if (error instanceof RolledBack) return error.outcome;
      throw error;
    }
  }

  /** Like the service's own, but rolled back: after this many transactions the next one is the last. */
  #dryCtx(before: number): Ctx {
    const { db } = this.#ctx;
    let left = before;
    const write: typeof db.write = (work) =>
      left-- > 0
        ? undone(db, work)
        : db.write(async (tx) => {
            await work(tx);
            throw new RolledBack(await this.#outcome(tx));
          });
    return { ...this.#ctx, db: { ...db, read: db.read, write } };
  }

  async #outcome(db: Query): Promise<Outcome> {
    const ids = this.#ids;
    const users = await db.selectFrom('users').select(['id', 'group_id', 'state']).where('id', 'in', ids).execute();
    const team = await db.selectFrom('groups').select('role').where('id', '=', 'team').executeTakeFirst();
    const sessions = await db.selectFrom('sessions').select('user_id').execute();
    const keys = await keyOfEach(db);
    const people = ids.map((id): Person => {
      const user = users.find((one) => one.id === id)!;
      return { group: groupNames.find((name) => groupIds[name] === user.group_id)!, state: user.state };
    });
    const which = (holds: (id: string) => boolean) => ids.flatMap((id, index) => (holds(id) ? [index] : []));
    return {
      // A team deleted by this call has the role of the world.
      world: { people, teamRole: (team?.role ?? this.#entered!.teamRole) as Role },
      signedOut: which((id) => !sessions.some(({ user_id }) => user_id === id)),
      newKeys: which((id) => keys.has(id) && keys.get(id) !== this.#keys.get(id)),
    };
  }
}

export function isReachCall(call: RankCall | ReachCall): call is ReachCall {
  return call.is === 'hand_over' || (reachNames as readonly string[]).includes(call.is);
}

async function undone<Result>(db: Ctx['db'], work: (tx: Tx) => Promise<Result>): Promise<Result> {
  let done: { result: Result } | null = null;
  const undo = new Error('undone');
  await db
    .write(async (tx) => {
      done = { result: await work(tx) };
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return done!.result;
}

async function keyOfEach(db: Query): Promise<Map<string, string>> {
  const rows = await db.selectFrom('api_keys').select(['user_id', 'id']).execute();
  return new Map(rows.map(({ user_id, id }) => [user_id, id]));
}
