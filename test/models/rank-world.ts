// The service put into a world of the rank model, and asked what a call would do: the action runs in its real
// transaction, which is looked at before its end and then rolled back. So a world is written once for all its calls.
import { readBackApiKey } from '#server/actions/api-keys/api-keys.ts';
import type { Ctx } from '#server/actions/context.ts';
import { changeGroup, createGroup, deleteGroup } from '#server/actions/groups/groups.ts';
import { callerOf } from '#server/actions/sessions/identities.ts';
import { changeUser, createUser, deleteUser, removeSecondFactor } from '#server/actions/users/users.ts';
import type { Tx } from '#server/db/schema.ts';
import { insertSession } from '#server/db/sessions.ts';
import { findUser } from '#server/db/users.ts';
import type { UserCaller } from '#server/domain/caller.ts';
import { Problem } from '#server/domain/problem.ts';
import type { Role } from '#server/domain/roles.ts';
import type { TestApp } from '#test/kit/app.ts';
import { type GroupName, groupNames, type Outcome, type Person, type RankCall, type World } from './rank-model.ts';

const groupIds: Record<GroupName, string> = {
  chiefs: 'system-administrators',
  admins: 'administrators',
  auditors: 'auditors',
  locals: 'local-users',
  outside: 'external-users',
  team: 'team',
};

const from = { address: '127.0.0.1', agent: 'test', requestId: 'test' };
const emailOf = (index: number) => `p${index}@example.com`;

/** Thrown at the end of a permitted call, with what its transaction would have left behind. */
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
  #ids: string[] = [];
  /** Of a team that was deleted just now. */
  #teamRole: Role = 'user';
  #keys = new Map<string, string>();

  constructor(app: TestApp) {
    this.#app = app;
    this.#ctx = app.app.ctx;
  }

  /** The people and groups; the first administrator of the installation steps aside. */
  async create(people: number): Promise<void> {
    await this.#app.group('Auditors', { role: 'auditor' });
    await this.#app.group('Team');
    for (let index = 0; index < people; index++) await this.#app.person(`p${index}`, { email: emailOf(index) });
    this.#ids = Array.from({ length: people }, (_, index) => `p${index}-example-com`);
    await this.#ctx.db.write(async (tx) => {
      await tx.updateTable('users').set({ state: 'disabled' }).where('email', '=', 'root@example.com').execute();
      await tx.updateTable('users').set({ totp_state: 'on' }).where('id', 'in', this.#ids).execute();
      const now = this.#ctx.clock.now();
      for (const id of this.#ids) {
        const times = { createdAt: now, activeAt: now, expiresAt: now + 3_600_000_000 };
        const session = { idHash: Buffer.from(id), userId: id, state: 'active', isKept: true } as const;
        await insertSession(tx, { ...session, ...times, address: '', agent: '' });
      }
      this.#keys = await keyOfEach(tx);
    });
  }

  async enter({ people, teamRole }: World): Promise<void> {
    this.#teamRole = teamRole;
    await this.#ctx.db.write(async (tx) => {
      await tx.updateTable('groups').set({ role: teamRole }).where('id', '=', 'team').execute();
      for (const [index, { group, state }] of people.entries()) {
        const place = { group_id: groupIds[group], state } as const;
        await tx.updateTable('users').set(place).where('id', '=', this.#ids[index]!).execute();
      }
    });
  }

  /** What the call would leave behind, or null when it is refused. Anything else is a fault. */
  async attempt(callerIndex: number, call: RankCall): Promise<Outcome | null> {
    const caller = callerOf((await findUser(this.#ctx.db.read, this.#ids[callerIndex]!))!, from);
    try {
      await this.#run(caller, call);
      throw new Error('a call changed nothing and was not refused');
    } catch (error) {
      if (error instanceof Problem) return null;
      if (error instanceof RolledBack) return error.outcome;
      throw error;
    }
  }

  async #run(caller: UserCaller, call: RankCall): Promise<unknown> {
    const ctx = this.#dryCtx();
    const id = 'target' in call ? this.#ids[call.target]! : '';
    switch (call.is) {
      case 'move':
        return changeUser(ctx, caller, id, { groupId: groupIds[call.to] });
      case 'disable':
      case 'enable':
        return changeUser(ctx, caller, id, { isDisabled: call.is === 'disable' });
      case 'rename':
        return changeUser(ctx, caller, id, { name: 'Somebody Else' });
      case 'delete':
        return deleteUser(ctx, caller, id);
      case 'reset_second_step':
        return removeSecondFactor(ctx, caller, id);
      case 'give_address':
        return changeUser(ctx, caller, id, { recipientAliases: [emailOf(call.of)] });
      case 'read_key':
        // How often keys are read is counted in a transaction of its own, which comes first.
        this.#app.clock.advance(60_000);
        return readBackApiKey(this.#dryCtx(1), caller, emailOf(call.target));
      case 'create':
        return createUser(ctx, caller, { email: 'new@example.com', groupId: groupIds[call.into] });
      case 'change_team':
        return changeGroup(ctx, caller, 'team', { rights: { role: call.role }, policy: {} });
      case 'raise_shipped':
        return changeGroup(ctx, caller, 'local-users', { rights: { role: 'administrator' }, policy: {} });
      case 'rename_group':
        return changeGroup(ctx, caller, 'local-users', { name: 'Everybody', rights: {}, policy: {} });
      case 'create_group':
        return createGroup(ctx, caller, { name: 'One more', rights: {}, policy: {} });
      case 'delete_team':
        return deleteGroup(ctx, caller, 'team');
    }
  }

  /** Like the service's own, but nothing stays: after this many transactions the next one is rolled back. */
  #dryCtx(committed = 0): Ctx {
    const { db } = this.#ctx;
    let left = committed;
    const write: typeof db.write = (work) =>
      left-- > 0
        ? db.write(work)
        : db.write(async (tx) => {
            await work(tx);
            throw new RolledBack(await this.#look(tx));
          });
    return { ...this.#ctx, db: { ...db, read: db.read, write } };
  }

  async #look(tx: Tx): Promise<Outcome> {
    const users = await tx
      .selectFrom('users')
      .select(['id', 'group_id', 'state'])
      .where('id', 'in', this.#ids)
      .execute();
    const team = await tx.selectFrom('groups').select('role').where('id', '=', 'team').executeTakeFirst();
    const sessions = await tx.selectFrom('sessions').select('user_id').execute();
    const keys = await keyOfEach(tx);
    const people = this.#ids.map((id): Person => {
      const user = users.find((one) => one.id === id)!;
      return { group: groupNames.find((name) => groupIds[name] === user.group_id)!, state: user.state };
    });
    const which = (holds: (id: string) => boolean) => this.#ids.flatMap((id, index) => (holds(id) ? [index] : []));
    return {
      world: { people, teamRole: (team?.role ?? this.#teamRole) as Role },
      signedOut: which((id) => !sessions.some(({ user_id }) => user_id === id)),
      newKeys: which((id) => keys.has(id) && keys.get(id) !== this.#keys.get(id)),
    };
  }
}

async function keyOfEach(tx: Tx): Promise<Map<string, string>> {
  const rows = await tx.selectFrom('api_keys').select(['user_id', 'id']).execute();
  return new Map(rows.map(({ user_id, id }) => [user_id, id]));
}
