// Sending from the command line: output on a terminal, in a pipe and for scripts; delivered bytes; exit codes.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { onOneEngine } from '#test/kit/app.ts';
import { asPerson, finalScreen, type Ran, useCommandLine } from '#test/kit/command-line.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const id = '[A-Za-z0-9]{22}';

function assertEnds(ran: Ran, code: number, words: RegExp): void {
  assert.equal(ran.code, code, `${ran.out}${ran.err}`);
  assert.match(ran.err, words);
}

onOneEngine('the command line, sending', (start) => {
  const app = useApp(start);
  const ann = usePerson(app, 'ann');
  const line = useCommandLine(() => app.clock.now());
  const env = () => asPerson(app, ann);
  const waybill = (args: string[], more: Parameters<typeof line.run>[1] = {}) =>
    line.run(args, { ...more, env: { ...env(), ...more.env } });
  const content = randomBytes(3_000_000);
  before(() => {
    writeFileSync(join(line.home, 'plan.bin'), content);
    writeFileSync(join(line.home, 'note.txt'), 'hello');
    writeFileSync(join(line.home, 'tool.exe'), 'MZ');
    writeFileSync(join(line.home, 'empty.txt'), '');
  });

  describe('refuses with a sentence and the right exit code', () => {
    test('2: invalid arguments', async () => {
      assertEnds(await waybill(['sned']), 2, /Did you mean send\?/);
      assertEnds(await waybill(['send', 'note.txt']), 2, /a recipient is missing\nAdd --to/);
      assertEnds(await waybill(['send', 'note.txt', '--to', 'b@x.example', '--expires', '31.12.']), 2, /not a date/);
      assertEnds(await waybill(['send', 'note.txt', '--to', 'b@x.example', '--who', 'all']), 2, /--who is one of/);
      assertEnds(await waybill(['send', '-', '--to', 'b@x.example'], { stdin: 'x' }), 2, /stdin needs a name/);
      assertEnds(await waybill(['link', 'empty.txt']), 2, /empty\.txt is empty/);
      assertEnds(await waybill(['link', 'note.txt', '--parallel', '99']), 2, /from 1 to 8/);
      assertEnds(await waybill(['links', 'set', 'x']), 2, /nothing to change/);
    });

    test('1: a missing file', async () => {
      assertEnds(await waybill(['link', 'nothing.txt']), 1, /no such file or folder .*nothing\.txt/);
    });

    test('3: no key, and an unknown key', async () => {
      assertEnds(await line.run(['whoami']), 3, /no server is known yet/);
      assertEnds(await line.run(['whoami'], { env: { WAYBILL_SERVER: app.url } }), 3, /you are not signed in/);
      assertEnds(await waybill(['whoami'], { env: { WAYBILL_API_KEY: 'wrong' } }), 3, /waybill login/);
    });

    test('4: actions that the group forbids, with the server’s own sentence', async () => {
      const group = await app.group('Near', {
        message_limit_recipients: true,
        message_recipient_domains: ['near.example'],
      });
      const bob = await app.person('bob', { group });
      const ran = await waybill(['send', 'note.txt', '--to', 'far@rival.example'], { env: asPerson(app, bob) });
      assertEnds(ran, 4, /^waybill: .*rival\.example.* \(message\.recipient_not_allowed\)$/m);
      const dry = await waybill(['send', 'note.txt', '--to', 'far@rival.example', '--dry-run'], {
        env: asPerson(app, bob),
      });
      assertEnds(dry, 4, /this would be refused; nothing was sent/);
      assertEnds(await waybill(['send', 'tool.exe', '--to', 'b@x.example']), 4, /\.exe files can’t be sent/);
    });

    test('5: missing objects', async () => {
      assertEnds(await waybill(['show', 'A'.repeat(22)]), 5, /\(message\.not_found|not_found/);
    });

    test('6: input that the server rejects', async () => {
      assertEnds(await waybill(['send', 'note.txt', '--to', 'nobody']), 6, /\(message\.bad_recipient/);
      assertEnds(
        await waybill(['send', 'note.txt', '--to', 'b@x.example', '--expires', '2020-01-01']),
        6,
        /expiry date is in the past/,
      );
    });

    test('7: an unreachable server', async () => {
      const ran = await waybill(['whoami'], { env: { WAYBILL_SERVER: 'http://127.0.0.1:9' } });
      assertEnds(ran, 7, /can’t be reached \(ECONNREFUSED\)/);
    });

    test('8: some files of several', async () => {
      const ran = await waybill(['link', 'note.txt', 'tool.exe']);
      assertEnds(ran, 8, /tool\.exe: .*\nwaybill: 1 of 2 files have no link/);
      assert.match(ran.out, new RegExp(`^${app.url}/link/${id}\\n$`));
    });

    test('130 and 143: an interruption, with the command to resume', async () => {
      for (const [signal, code] of [
        ['SIGINT', 130],
        ['SIGTERM', 143],
      ] as const) {
        const stopping = new AbortController();
        stopping.abort(signal);
        const ran = await waybill(['link', 'plan.bin'], { signal: stopping.signal });
        assertEnds(ran, code, /^Stopped\./m);
      }
    });
  });

  describe('prints', () => {
    test('for people on a terminal: progress bars, then recipients, expiry and the link', async () => {
      const ran = await waybill(
        ['send', 'plan.bin', 'note.txt', '--to', 'ben@x.example,eva@y.example', '-s', 'Plans', '--expires', '14d'],
        { columns: 80 },
      );
      assert.equal(ran.code, 0, ran.err);
      const picture = finalScreen(ran.err);
      assert.match(
        picture,
        /^ {2}plan\.bin +2\.9 MiB {2}✓\n {2}note\.txt +5 B {2}✓\n {2}Total +2\.9 MiB {2}✓\n\nSent to /m,
      );
      assert.match(picture, /Sent to ben@x\.example, eva@y\.example\n {2}Until {6}Monday 30 November 2026\n {2}Who /);
      assert.match(ran.out, new RegExp(`^ {2}Link {7}${app.url}/message/${id}\\n$`));
    });

    test('in a pipe: the link on stdout, a line for each file on stderr, no terminal control', async () => {
      const ran = await waybill(['send', 'note.txt', '--to', 'ben@x.example']);
      assert.match(ran.out, new RegExp(`^${app.url}/message/${id}\\n$`));
      assert.match(ran.err, /^note\.txt \(5 B\): started\nnote\.txt \(5 B\): done\n/);
      assert.ok(!ran.err.includes('\u001b'));
    });

    test('with --quiet only the link', async () => {
      const ran = await waybill(['-q', 'link', 'note.txt']);
      assert.equal(ran.err, '');
      assert.match(ran.out, new RegExp(`^${app.url}/link/${id}\\n$`));
    });

    test('with --json one document with the local files and their SHA-256', async () => {
      const ran = await waybill(['--json', 'send', 'plan.bin', '--to', 'ben@x.example']);
      assert.equal(ran.err, '');
      const { message, files } = JSON.parse(ran.out);
      assert.match(message.id, new RegExp(`^${id}$`));
      const checksum = createHash('sha256').update(content).digest('hex');
      assert.deepEqual(
        { ...files[0], attachment: '' },
        { path: join(line.home, 'plan.bin'), name: 'plan.bin', size: 3_000_000, checksum, attachment: '' },
      );
      const refused = await waybill(['--json', 'show', 'A'.repeat(22)]);
      assert.equal(JSON.parse(refused.err).error.exit_code, 5);
    });

    test('with --events=json a line for each event, including errors', async () => {
      const ran = await waybill(['--events=json', 'link', 'note.txt']);
      const events = ran.out
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text));
      assert.deepEqual([...new Set(events.map(({ event }) => event))].sort(), ['file', 'link', 'progress']);
      assert.deepEqual(events.filter(({ event }) => event === 'file').at(-1), {
        event: 'file',
        name: 'note.txt',
        size: 5,
        state: 'done',
      });
      const failed = await waybill(['--events=json', 'show', 'A'.repeat(22)]);
      assert.equal(JSON.parse(failed.out).event, 'error');
    });

    test('no colour if it is switched off', async () => {
      const ran = await waybill(['link', 'note.txt'], { columns: 80, env: { NO_COLOR: '1' } });
      assert.ok(!ran.err.includes('\u001b[2m'));
      const help = await waybill(['send', '--help']);
      assert.equal(help.code, 0);
      assert.ok(
        help.out.split('\n').every((text) => [...text].length <= 80),
        help.out,
      );
      assert.ok(help.out.split('\n').length <= 40, String(help.out.split('\n').length));
    });
  });

  describe('delivers', () => {
    test('the exact bytes, under names with spaces, quotes, newlines, emoji and 255 bytes', async () => {
      const names = ['a b.txt', `it's "so".txt`, 'zwei\nZeilen.txt', '📦 grüße.txt', `${'x'.repeat(251)}.txt`];
      names.forEach((name, at) => {
        writeFileSync(join(line.home, name), `content ${at}`);
      });
      const ran = await waybill(['--json', 'send', ...names, '--to', ann.email]);
      assert.equal(ran.code, 0, ran.err);
      const { message } = JSON.parse(ran.out);
      const { body } = await ann.expect(200, 'getMessage', { params: { id: message.id } });
      const { attachments } = (body as { message: { attachments: { filename: string; checksum: string }[] } }).message;
      assert.equal(attachments.length, names.length);
      for (const [at, { checksum }] of attachments.entries())
        assert.equal(checksum, createHash('sha256').update(`content ${at}`).digest('hex'));
    });

    test('files that differ only in their folder and content', async () => {
      const files = ['north', 'south'].map((folder) => join(folder, 'same.txt'));
      for (const file of files) {
        mkdirSync(join(line.home, file, '..'));
        writeFileSync(join(line.home, file), `of ${file}`);
        utimesSync(join(line.home, file), 1_700_000_000, 1_700_000_000);
      }
      const ran = await waybill(['--json', 'send', ...files, '--to', ann.email]);
      assert.equal(ran.code, 0, ran.err);
      const sent = JSON.parse(ran.out) as { message: { id: string } };
      const { body } = await ann.expect(200, 'getMessage', { params: { id: sent.message.id } });
      const { attachments } = (body as { message: { attachments: { checksum: string }[] } }).message;
      assert.deepEqual(
        attachments.map(({ checksum }) => checksum),
        files.map((file) => createHash('sha256').update(`of ${file}`).digest('hex')),
      );
    });

    test('folders with their names, and stdin with a given name', async () => {
      mkdirSync(join(line.home, 'tender', 'deep'), { recursive: true });
      writeFileSync(join(line.home, 'tender', 'one.txt'), '1');
      writeFileSync(join(line.home, 'tender', 'deep', 'two.txt'), '2');
      const ran = await waybill(['--json', 'upload', 'tender', '-', '--name', 'piped.txt'], { stdin: 'from a pipe' });
      assert.equal(ran.code, 0, ran.err);
      const names = (JSON.parse(ran.out).files as { name: string }[]).map(({ name }) => name);
      assert.deepEqual(names, ['tender/deep/two.txt', 'tender/one.txt', 'piped.txt']);
    });

    test('a folder without its symbolic links, and reports that', async () => {
      mkdirSync(join(line.home, 'linked'));
      writeFileSync(join(line.home, 'linked', 'one.txt'), '1');
      symlinkSync(join(line.home, 'note.txt'), join(line.home, 'linked', 'other.txt'));
      symlinkSync('..', join(line.home, 'linked', 'round'));
      const ran = await waybill(['--json', 'upload', 'linked']);
      assert.equal(ran.code, 0, ran.err);
      assert.deepEqual(
        (JSON.parse(ran.out).files as { name: string }[]).map(({ name }) => name),
        ['linked/one.txt'],
      );
      assert.match(ran.err, /linked\/other\.txt is no file of its own and is left out/);
      assert.match(ran.err, /linked\/round is no file of its own and is left out/);
    });

    test('parallel chunks, and the file is complete', async () => {
      const ran = await waybill(['--json', '--chunk-size', '256KiB', '--parallel', '4', 'upload', 'plan.bin']);
      assert.equal(ran.code, 0, ran.err);
      const attachment = JSON.parse(ran.out).files[0].attachment as string;
      const { body } = await ann.expect(200, 'listAttachments', {});
      const found = (body as { attachments: { id: string; checksum: string }[] }).attachments.find(
        (one) => one.id === attachment,
      );
      assert.equal(found?.checksum, createHash('sha256').update(content).digest('hex'));
    });

    test('a link and its password, even when the command is repeated for its remaining links', async () => {
      const make = async () => {
        const ran = await waybill(['-q', 'link', 'note.txt', 'tool.exe', '--generate-password']);
        assert.equal(ran.code, 8, ran.err);
        return { url: ran.out.trim(), password: /^Password: (\w{16})$/m.exec(ran.err)?.[1] };
      };
      const first = await make();
      assert.notEqual(first.password, undefined);
      assert.deepEqual(await make(), first);
    });

    test('to a file request without an account, once', async () => {
      const asked = await waybill(['-q', 'request', '--from', 'carl@outside.example', '-s', 'Papers']);
      assert.equal(asked.code, 0, asked.err);
      const url = asked.out.trim();
      const first = await line.run(['--json', 'drop', url, 'note.txt', '-m', 'Here']);
      assert.equal(first.code, 0, first.err);
      const { body } = await ann.expect(200, 'listInbox', {});
      const messages = (body as { messages: { subject: string }[] }).messages.filter(({ subject }) =>
        subject.includes('Papers'),
      );
      assert.equal(messages.length, 1);
      assertEnds(await line.run(['drop', url, 'plan.bin']), 5, /answered|nothing was delivered/);
    });

    test('to a drop page without an account', async () => {
      const { body } = await ann.expect(200, 'getAccount', {});
      const { filedrop_url: url } = (body as { user: { filedrop_url: string } }).user;
      assertEnds(await line.run(['drop', url, 'note.txt']), 2, /Add --from/);
      const ran = await line.run(['drop', url, 'note.txt', '--from', 'dora@outside.example', '-s', 'For you']);
      assert.equal(ran.code, 0, ran.err);
      assert.equal(ran.out, 'Delivered 1 file.\n');
    });
  });
});
