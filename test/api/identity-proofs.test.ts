import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApiAccessFor, openSessionFor } from '#server/actions/sessions/open-session.ts';
import { findSession, insertSession } from '#server/db/sessions/sessions.ts';
import { saveTotpSecret } from '#server/db/users/totp.ts';
import { findUser, updateUser } from '#server/db/users/users.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { Problem } from '#server/domain/problem.ts';
import type { Proof } from '#server/domain/sessions.ts';
import type { User } from '#server/domain/users.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const hourMs = 3_600_000;
const pendingHash = Buffer.alloc(32, 7);

/** Each kind of proof with what it opens. A new kind does not compile without an entry. */
const proofs: Record<Proof['kind'], { proof: Proof; opens: ('session' | 'key')[] }> = {
  password: { proof: { kind: 'password' }, opens: ['session', 'key'] },
  totp: { proof: { kind: 'totp', pendingHash }, opens: ['session'] },
  recovery_code: { proof: { kind: 'recovery_code', pendingHash }, opens: ['session'] },
  passkey: { proof: { kind: 'passkey', pendingHash }, opens: ['session'] },
  remembered_browser: { proof: { kind: 'remembered_browser' }, opens: ['session'] },
  pairing: { proof: { kind: 'pairing' }, opens: ['key'] },
  service: { proof: { kind: 'service', service: 'oidc', hasSecondStep: false }, opens: ['session', 'key'] },
};

interface Situation {
  name: string;
  group?: Record<string, unknown>;
  user?: Record<string, unknown>;
  hasTotp?: boolean;
  /** Happens after the proof was checked. */
  change?: 'disabled' | 'new password' | 'second step set up' | 'network closed' | 'signed out everywhere';
  keep?: boolean;
  session: Partial<Record<Proof['kind'], string>>;
  key: Partial<Record<Proof['kind'], string>>;
}

const all = (session: string, key: string): Pick<Situation, 'session' | 'key'> => ({
  session: {
    password: session,
    totp: session,
    recovery_code: session,
    passkey: session,
    remembered_browser: session,
    service: session,
  },
  key: { password: key, pairing: key, service: key },
});

const situations: Situation[] = [
  { name: 'nothing prevents it', ...all('open for 12 h', 'open') },
  { name: 'the session is kept', keep: true, group: { session_hours: 48 }, ...all('open for 48 h', 'open') },
  {
    name: 'the person is an administrator',
    group: { role: 'administrator' },
    ...all('open for 8 h', 'open'),
  },
  { name: 'the account was disabled after the check', change: 'disabled', ...all('nothing', 'nothing') },
  { name: 'the password was replaced after the check', change: 'new password', ...all('nothing', 'nothing') },
  { name: 'a second step was set up after the check', change: 'second step set up', ...all('nothing', 'nothing') },
  { name: 'the group admits other networks only', group: { allowed_networks: ['10.0.0.0/8'] }, ...network() },
  { name: 'the networks were changed after the check', change: 'network closed', ...network() },
  {
    name: 'the pending session was ended after the check',
    change: 'signed out everywhere',
    session: {
      password: 'open for 12 h',
      totp: 'nothing',
      recovery_code: 'nothing',
      passkey: 'nothing',
      remembered_browser: 'open for 12 h',
      service: 'open for 12 h',
    },
    key: { password: 'open', pairing: 'open', service: 'open' },
  },
  {
    name: 'a second step is set up',
    hasTotp: true,
    session: {
      password: 'waits for second_step',
      totp: 'open for 12 h',
      recovery_code: 'open for 12 h',
      passkey: 'open for 12 h',
      remembered_browser: 'open for 12 h',
      service: 'waits for second_step',
    },
    key: { password: 'login.second_factor', pairing: 'open', service: 'login.second_factor' },
  },
  {
    name: 'the group requires a second step that is not set up',
    group: { require_second_factor: 'required' },
    ...all('open for 12 h, second_step_setup first', 'login.second_factor'),
  },
  {
    name: 'an administrator set the password',
    user: { password: 'nine bridges over a loud canal' },
    ...all('open for 12 h, new_password first', 'login.password_change'),
  },
];

function network(): Pick<Situation, 'session' | 'key'> {
  return all('security.group_network', 'security.group_network');
}

onEachDatabase('A proof of identity', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const caller = { ...systemCaller, from: { address: '192.0.2.7', agent: 'test', requestId: 'test' } };
  let people = 0;

  async function prepare(situation: Situation): Promise<{ person: ApiClient; user: User }> {
    const { ctx } = app.app;
    const name = `proven${++people}`;
    const group = await app.group(name, { role: 'user', ...situation.group });
    const person = await newPerson(app, name, { password: 'seven lamps under a quiet river', group });
    const { user } = situation;
    if (user !== undefined) await app.admin.expect(200, 'changeUser', { params: { id: idOf(person) }, body: { user } });
    if (situation.hasTotp === true) await setUpTotp(person);
    return { person, user: (await findUser(ctx.db.read, idOf(person)))! };
  }

  async function setUpTotp(person: ApiClient): Promise<void> {
    const secret = Buffer.alloc(20, 1);
    await app.app.ctx.db.write((tx) => saveTotpSecret(tx, idOf(person), { secret, step: 1 }));
  }

  async function applyChange({ change }: Situation, person: ApiClient): Promise<void> {
    const { ctx } = app.app;
    const set = (changes: Parameters<typeof updateUser>[2]) =>
      ctx.db.write((tx) => updateUser(tx, idOf(person), changes, ctx.clock.now()));
    if (change === 'disabled') await set({ state: 'disabled' });
    if (change === 'new password') await set({ passwordHash: 'another' });
    if (change === 'second step set up') await setUpTotp(person);
    if (change === 'network closed') {
      const { groupId } = (await findUser(ctx.db.read, idOf(person)))!;
      const body = { group: { allowed_networks: ['10.0.0.0/8'] } };
      await app.admin.expect(200, 'changeGroup', { params: { id: groupId }, body });
    }
  }

  /** The result, in a transaction that is rolled back. */
  async function outcomeOf(situation: Situation, proof: Proof, opens: 'session' | 'key'): Promise<string> {
    const { ctx } = app.app;
    const { person, user } = await prepare(situation);
    const now = ctx.clock.now();
    if ('pendingHash' in proof && situation.change !== 'signed out everywhere') {
      const times = { createdAt: now, activeAt: now, expiresAt: now + 1000 };
      const pending = { idHash: pendingHash, userId: user.id, state: 'pending', isKept: false, ...times } as const;
      await ctx.db.write((tx) => insertSession(tx, { ...pending, address: '', agent: '', hasSecondStep: false }));
    }
    await applyChange(situation, person);
    const signIns = () => countSignIns(user.id);
    const before = await signIns();
    const outcome = await open(user, proof, opens, situation.keep ?? false).catch((error: unknown) => {
      assert.ok(error instanceof Problem, String(error));
      return error.code;
    });
    const isOpen = outcome.startsWith('open');
    assert.equal((await signIns()) - before, isOpen && proof.kind !== 'pairing' ? 1 : 0, `events of: ${outcome}`);
    await ctx.db.write((tx) => tx.deleteFrom('sessions').where('user_id', '=', user.id).execute());
    return outcome;
  }

  async function countSignIns(userId: string): Promise<number> {
    const rows = await app.app.ctx.db.read
      .selectFrom('events')
      .select('seq')
      .where('object_id', '=', userId)
      .where('action', 'in', ['user.signed_in', 'user.logged_in'])
      .execute();
    return rows.length;
  }

  async function open(user: User, proof: Proof, opens: 'session' | 'key', keep: boolean): Promise<string> {
    const { ctx } = app.app;
    if (opens === 'key')
      return ctx.db.write(async (tx) =>
        (await openApiAccessFor(ctx, tx, caller, { user, proof })) === null ? 'nothing' : 'open',
      );
    const opened = await ctx.db.write((tx) => openSessionFor(ctx, tx, caller, { user, proof, keep }));
    if (opened === null) return 'nothing';
    const now = ctx.clock.now();
    const session = (await findSession(ctx.db.read, ctx.keys.hash('session', opened.token), now))!;
    if (session.state === 'pending') return `waits for ${opened.requires}`;
    const first = opened.requires === null ? '' : `, ${opened.requires} first`;
    return `open for ${(session.expiresAt - now) / hourMs} h${first}`;
  }

  for (const situation of situations) {
    test(`opens the same, whatever its kind, when ${situation.name}`, async () => {
      for (const { proof, opens } of Object.values(proofs))
        for (const target of opens)
          assert.equal(
            await outcomeOf(situation, proof, target),
            situation[target][proof.kind],
            `${target} for ${proof.kind}`,
          );
    });
  }
});
