import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { manageUsers } from '#server/commands/user.ts';
import { insertIdentity } from '#server/db/identity/identities.ts';
import { insertPasskey } from '#server/db/passkeys/passkeys.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const old = 'seven lamps under a quiet river';
const chosen = 'eleven boats behind the old mill';
const day = 24 * 3_600_000;

onOneEngine('A System Administrator whom no sign-in service lets in', (start) => {
  const app = useApp(start, {
    environment: {
      WAYBILL_PASSWORD_SIGN_IN: 'off',
      WAYBILL_OIDC_ISSUER: 'http://127.0.0.1:1',
      WAYBILL_OIDC_CLIENT_ID: 'waybill',
    },
  });
  let root: ApiClient;
  before(async () => {
    root = await newPerson(app, 'rescued', { password: old, group: 'system-administrators' });
    const { ctx } = app.app;
    const now = ctx.clock.now();
    const identity = { id: 'i', service: 'oidc', subject: 'root', userId: idOf(root), way: 'password' } as const;
    await ctx.db.write((tx) =>
      insertIdentity(tx, { ...identity, directoryGroups: null, createdAt: now, lastUsedAt: now, disabledAt: null }),
    );
  });

  async function rescue(...args: string[]): Promise<{ path: string; said: string }> {
    const out: string[] = [];
    const said: string[] = [];
    const io = { out: (text: string) => void out.push(text), err: (text: string) => void said.push(text) };
    assert.equal(await manageUsers(['rescue', ...args], io as never, (work) => work(app.app.ctx)), 0);
    return { path: new URL(out.join('').trim()).pathname, said: said.join('') };
  }
  const signIn = (password: string) => new Browser(app.url).submit('/sign-in', { email: root.email, password });

  test('has no way in before the command: passwords are off', async () => {
    assert.match((await signIn(old)).words, /Passwords are switched off/);
  });

  test('is named by an address that exists', async () => {
    await assert.rejects(rescue('nobody@example.com'), /Nobody here has the address nobody@example.com/);
  });

  test('chooses a password that works for a day, which is an event', async () => {
    const { path, said } = await rescue(root.email);
    assert.match(said, /accepted for a day/);
    assert.match((await signIn(old)).location ?? '', /^\/$/, 'the old one works too');
    assert.equal((await new Browser(app.url).submit(path, { password: chosen })).location, '/sign-in');
    const browser = new Browser(app.url);
    assert.equal((await browser.submit('/sign-in', { email: root.email, password: chosen })).location, '/');
    const events = app.app.ctx.db.read.selectFrom('events').select('object_id').where('action', '=', 'user.rescued');
    assert.deepEqual(await events.execute(), [{ object_id: idOf(root) }]);
    app.clock.advance(day);
    assert.match((await signIn(chosen)).words, /Passwords are switched off/);
  });

  test('also with a passkey that works no longer, which the group requires', async () => {
    const group = await app.group('Passkeys only', { require_passkey: true });
    const person = await newPerson(app, 'locked', { password: old, group });
    const { ctx } = app.app;
    const passkey = { id: 'p', credentialId: 'c', holder: { userId: idOf(person) }, name: 'Lost', signCount: 0 };
    const rest = { publicKey: Buffer.alloc(1), transports: [], isBackedUp: false, createdAt: ctx.clock.now() };
    await ctx.db.write((tx) => insertPasskey(tx, { ...passkey, ...rest }));
    const open = () => new Browser(app.url).post('/sign-in', { email: person.email, password: old });
    await rescue(person.email);
    assert.equal((await open()).location, '/sign-in/second');
    await rescue(person.email, '--without-second-step');
    assert.match((await open()).location!, /passkey/);
  });
});
