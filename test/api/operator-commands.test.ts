import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { config } from '#server/commands/config.ts';
import { health } from '#server/commands/health.ts';
import { showMailQueue } from '#server/commands/mail-queue.ts';
import { manageMaintenance } from '#server/commands/maintenance.ts';
import { showSetupToken } from '#server/commands/setup-token.ts';
import type { Terminal } from '#server/commands/terminal.ts';
import { manageUsers } from '#server/commands/user.ts';
import { ConfigProblems } from '#server/config.ts';
import type { MailTransport } from '#server/domain/ports.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { until } from '#test/kit/eventually.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const secret = 'quiet river under seven lamps';

function testTerminal(piped = ''): Terminal & { output(): string; errors(): string } {
  let [out, err] = ['', ''];
  return {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    readSecret: async () => piped,
    output: () => out,
    errors: () => err,
  };
}

describe('waybill-server config', () => {
  const environment = {
    WAYBILL_DATA_DIR: '/srv/waybill',
    WAYBILL_ADMIN_EMAIL: 'root@example.com',
    WAYBILL_ADMIN_PASSWORD: secret,
    WAYBILL_DATABASE_URL: `postgres://waybill:${encodeURIComponent(secret)}@db.example/waybill`,
  };

  test('refuses unknown arguments, and settings that are unknown or invalid, together', async () => {
    for (const words of [['set'], ['check', '--json'], ['--json', 'x'], ['print', 'x']]) {
      const io = testTerminal();
      assert.equal(await config(words, io, environment), 2);
      assert.match(io.errors(), /^usage: waybill-server config/);
    }
    const wrong = { ...environment, WAYBILL_BASEURL: 'x', WAYBILL_WORKERS: 'many' };
    for (const words of [['check'], []])
      await assert.rejects(config(words, testTerminal(), wrong), (error) => {
        assert.ok(error instanceof ConfigProblems);
        assert.match(error.sentences.join('\n'), /WAYBILL_BASEURL is not a setting[^\n]*WAYBILL_BASE_URL/);
        assert.match(error.sentences.join('\n'), /WAYBILL_WORKERS must be a whole number/);
        return true;
      });
  });

  test('shows each setting with its value and source, and no secret', async () => {
    const [lines, json, check] = [testTerminal(), testTerminal(), testTerminal()];
    assert.equal(await config([], lines, environment), 0);
    assert.equal(await config(['print', '--json'], json, environment), 0);
    assert.equal(await config(['check'], check, environment), 0);
    for (const line of [
      'WAYBILL_DATA_DIR=/srv/waybill  (environment)',
      'WAYBILL_ADMIN_PASSWORD=•••  (environment)',
      'WAYBILL_DATABASE_URL=•••  (environment)',
      'WAYBILL_STORAGE_DIR=/srv/waybill/files  (default)',
      'WAYBILL_TIMEZONE=UTC  (default)',
    ])
      assert.ok(lines.output().split('\n').includes(line), line);
    const settings = JSON.parse(json.output()) as { name: string; is_secret: boolean }[];
    assert.equal(settings.find(({ name }) => name === 'WAYBILL_ADMIN_PASSWORD')!.is_secret, true);
    assert.match(check.output(), /^✓ 4 of \d+ settings are set/);
    assert.doesNotMatch(lines.output() + json.output() + check.output(), /river|db\.example/);
  });
});

onOneEngine('waybill-server user and maintenance', (start) => {
  const app = useApp(start, {});
  const alice = usePerson(app, 'alice', { password: secret });
  const within = (work: (ctx: typeof app.app.ctx) => Promise<void>) => work(app.app.ctx);
  const logIn = async (email: string, password: string) =>
    (await app.anonymous.call('login', { body: { user: { email, password } } })).status === 200;
  const users = (words: string[], io = testTerminal()) => manageUsers(words, io, within);
  const events = async () => {
    const rows = app.app.ctx.db.read.selectFrom('events').select(['action', 'actor_kind', 'actor_id', 'object_id']);
    return (await rows.execute()).map((row) => `${row.action} ${row.actor_kind} ${row.actor_id} ${row.object_id}`);
  };

  test('unknown arguments open nothing and end with 2', async () => {
    const wrong = [
      ['sing'],
      ['toString'],
      ['list', 'x'],
      ['create'],
      ['create', '--name', 'Ann'],
      ['reset-password', 'a@example.com', '--force'],
      ['reset-password', 'a@example.com', secret],
      ['reset-password', 'a@example.com', '--without-second-step', '--password-stdin'],
      ['role', 'a@example.com'],
      ['unlock'],
    ];
    for (const words of wrong) {
      const io = testTerminal();
      assert.equal(await manageUsers(words, io, () => assert.fail('opened')), 2, words.join(' '));
      assert.match(io.errors(), /usage: waybill-server user/);
    }
    for (const words of [
      [],
      ['on', '--for', 'ever'],
      ['on', '--for', '999999999w'],
      ['on', 'now'],
      ['off', '--message', 'x'],
      ['status', 'x'],
    ]) {
      const io = testTerminal();
      assert.equal(await manageMaintenance(words, io, () => assert.fail('opened')), 2, words.join(' '));
      assert.match(io.errors(), /usage: waybill-server maintenance/);
    }
  });

  test('refuses unknown users, used addresses, weak passwords, unknown groups, and losing the last administrator', async () => {
    const refusals: [string[], RegExp, string?][] = [
      [['unlock', 'unknown@example.com'], /Nobody here has the address unknown@example\.com/],
      [['role', 'unknown@example.com', 'user'], /Nobody here has the address/],
      [['create', 'not an address'], /Enter an e-mail address/],
      [['create', 'alice@example.com'], /This e-mail address is already in use/],
      [['create', 'new@example.com', '--group', 'nowhere'], /There is no such group/],
      [['role', 'alice@example.com', 'emperor'], /There is no single group for emperor\. Name one of: .*local-users/],
      [['reset-password', 'alice@example.com', '--password-stdin'], /No password came in/],
      [['reset-password', 'alice@example.com', '--password-stdin'], /at least 12 characters/, 'short'],
      [['suspend', 'root@example.com'], /last System Administrator/],
      [['role', 'root@example.com', 'user'], /last System Administrator/],
    ];
    const before = await events();
    for (const [words, sentence, piped] of refusals)
      await assert.rejects(users(words, testTerminal(piped)), sentence, words.join(' '));
    assert.deepEqual(await events(), before);
  });

  test('adds a user with a link to choose a password, and lists them', async () => {
    const io = testTerminal();
    assert.equal(await users(['create', 'Ben@Example.com', '--name', 'Ben', '--group', 'administrators'], io), 0);
    assert.match(io.output(), new RegExp(`^${app.url}/reset/\\S+\\n$`));
    const [lines, json] = [testTerminal(), testTerminal()];
    await users(['list'], lines);
    await users(['list', '--json'], json);
    assert.match(lines.output(), /^ben@example\.com {2}administrator {2}administrators {2}active {2}never seen$/m);
    const ben = (JSON.parse(json.output()) as { email: string }[]).find(({ email }) => email === 'ben@example.com');
    assert.equal((ben as { name?: string }).name, 'Ben');
    assert.ok(
      (await events()).some((event) => event.startsWith('user.created system  ben')),
      'the operator has no account',
    );
  });

  test('a new password, disabling and enabling, and another role take effect immediately', async () => {
    const signIn = (password: string) => logIn('alice@example.com', password);
    await users(
      ['reset-password', 'alice@example.com', '--password-stdin'],
      testTerminal('nine green kettles on a roof'),
    );
    assert.equal(await signIn(secret), false);
    const user = { email: 'alice@example.com', password: 'nine green kettles on a roof' };
    await app.anonymous.refused(401, 'login.password_change', 'login', { body: { user } });
    await users(['suspend', 'alice@example.com']);
    await alice.expect(401, 'getAccount');
    await users(['resume', 'alice@example.com']);
    await alice.expect(200, 'getAccount');
    await users(['role', 'alice@example.com', 'administrator']);
    const json = testTerminal();
    await users(['list', '--json'], json);
    const found = (JSON.parse(json.output()) as { email: string; group: string }[]).find(
      ({ email }) => email === 'alice@example.com',
    );
    assert.equal(found!.group, 'administrators');
  });

  test('unlocks a sign-in that was locked', async () => {
    const carol = await app.person('carol', { password: secret });
    const signIn = (password: string) => logIn('carol@example.com', password);
    for (let n = 0; n < 5; n++) assert.equal(await signIn('wrong'), false);
    assert.equal(await signIn(secret), false, 'locked');
    const io = testTerminal();
    await users(['unlock', 'carol@example.com'], io);
    assert.match(io.errors(), /^✓ Sign-in of carol@example\.com is unlocked/);
    assert.equal(await signIn(secret), true);
    assert.ok((await events()).some((event) => event.startsWith('user.unlocked system')));
    await carol.expect(200, 'getAccount');
  });

  test('a link for a new password unlocks the sign-in too', async () => {
    await app.person('edith', { password: secret });
    for (let n = 0; n < 5; n++) assert.equal(await logIn('edith@example.com', 'wrong'), false);
    assert.equal(await logIn('edith@example.com', secret), false, 'locked');
    await users(['reset-password', 'edith@example.com']);
    assert.equal(await logIn('edith@example.com', secret), true);
  });

  test('maintenance is begun, shown and ended; running servers follow', async () => {
    const run = async (...words: string[]) => {
      const io = testTerminal();
      assert.equal(await manageMaintenance(words, io, within), 0);
      return io.output();
    };
    assert.equal(await run('status'), 'off: all users can sign in\n');
    await assert.rejects(run('on', '--message', 'two\nlines'), /one line of plain text/);
    assert.match(
      await run('on', '--message', 'Back at noon.', '--for', '2h'),
      /^on since .*expected to end .*\n {2}Back at noon\.\n$/,
    );
    const dora = await app.person('dora');
    await until(async () => (await dora.call('getAccount')).status === 503);
    assert.match(await run('off'), /^off/);
    await until(async () => (await dora.call('getAccount')).status === 200);
  });
});

onOneEngine('waybill-server health, mail queue and setup-token', (start) => {
  const waiting: MailTransport = {
    isReal: true,
    send: async () => ({ outcome: 'deferred', reason: '451 come back later' }),
    close: async () => {},
  };
  const app = useApp(start, { mailTransport: waiting });
  const alice = usePerson(app, 'alice');

  test('health is 0 for a server that is ready and 1 where no server, or another program, answers', async () => {
    const at = (port: number, role: 'all' | 'jobs' = 'all') => ({
      role,
      listen: { kind: 'port' as const, host: '127.0.0.1', port },
    });
    const ready = testTerminal();
    assert.equal(await health([], ready, () => at(Number(new URL(app.url).port))), 0);
    assert.match(ready.output(), /^✓ It answers at 127\.0\.0\.1:\d+ and is ready\.$/m);
    const stranger = createServer((_request, response) => response.end('hello'));
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const { port } = stranger.address() as AddressInfo;
    const [foreign, silent, jobs, wrong] = [testTerminal(), testTerminal(), testTerminal(), testTerminal()];
    assert.equal(await health([], foreign, () => at(port)), 1);
    assert.match(foreign.errors(), /Another program answers/);
    await new Promise((resolve) => stranger.close(resolve));
    assert.equal(await health([], silent, () => at(port)), 1);
    assert.match(silent.errors(), /Nothing listens at/);
    assert.equal(await health([], jobs, () => at(port, 'jobs')), 1);
    assert.match(jobs.errors(), /WAYBILL_ROLE/);
    assert.equal(await health(['now'], wrong, () => at(port)), 2);
  });

  test('the queue names the recipients that wait and the answer of the mail server', async () => {
    await alice.expect(200, 'sendMessage', {
      body: {
        message: {
          recipients: ['ben@example.net'],
          subject: 'Plans',
          message: 'Hello',
          send_email: true,
          attachments: [],
        },
      },
    });
    await app.app.jobs.runOnce('send-outbox');
    const [lines, json] = [testTerminal(), testTerminal()];
    await showMailQueue(app.app.ctx, false, lines);
    await showMailQueue(app.app.ctx, true, json);
    assert.match(lines.output(), /^ben@example\.net .* 1 attempt {2}next attempt 2026-.*\(451 come back later\)$/m);
    assert.match(lines.output(), /^\d+ waiting, 0 refused in the last day$/m);
    const { mails } = JSON.parse(json.output()) as { mails: { to: string; said: string }[] };
    assert.equal(mails.find(({ to }) => to === 'ben@example.net')!.said, '451 come back later');
  });

  test('there is no setup token once an administrator exists', async () => {
    const [{ ctx }, io] = [app.app, testTerminal()];
    const config = { dataDir: '/nowhere', setupToken: null };
    await assert.rejects(showSetupToken(ctx, config, io), /is set up.*user reset-password/);
    assert.equal(io.output(), '');
  });
});
