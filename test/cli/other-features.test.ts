// Other features of the CLI: verify, archives, --wait, sharing of links, confirmation, completion.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { onOneEngine } from '#test/kit/app.ts';
import { asPerson, type Ran, useCommandLine } from '#test/kit/command-line.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';
import { unpack } from '#test/kit/zip-reader.ts';
import { helpExamples } from '../../cli/help-examples.ts';

function assertEnds(ran: Ran, code: number, words: RegExp): void {
  assert.equal(ran.code, code, `${ran.out}${ran.err}`);
  assert.match(ran.err, words);
}

onOneEngine('the command line, other features', (start) => {
  const app = useApp(start);
  const ann = usePerson(app, 'ann');
  const line = useCommandLine(() => app.clock.now());
  const waybill = (args: string[], more: Parameters<typeof line.run>[1] = {}) =>
    line.run(args, { ...more, env: { ...asPerson(app, ann), ...more.env } });
  const content = randomBytes(700_000);
  before(() => {
    writeFileSync(join(line.home, 'plan.bin'), content);
    mkdirSync(join(line.home, 'Pläne', 'deep'), { recursive: true });
    writeFileSync(join(line.home, 'Pläne', 'a.bin'), content);
    writeFileSync(join(line.home, 'Pläne', 'deep', 'b "2".txt'), 'two');
  });
  const sendPlan = async () => {
    const ran = await waybill(['--json', 'send', 'plan.bin', '--to', 'ben@x.example']);
    return (JSON.parse(ran.out) as { message: { id: string; url: string } }).message;
  };

  describe('verifies', () => {
    test('a file against a message, a link and a SHA-256; another one ends with 10', async () => {
      const { id, url } = await sendPlan();
      const link = (await waybill(['-q', 'link', 'plan.bin'])).out.trim();
      const sha256 = createHash('sha256').update(content).digest('hex');
      writeFileSync(join(line.home, 'other.bin'), 'other');
      for (const against of [id, url, link, sha256, sha256.toUpperCase()]) {
        const ran = await waybill(['verify', 'plan.bin', '--against', against]);
        assert.equal(ran.code, 0, ran.err);
        assert.match(ran.out, new RegExp(`^${sha256}\\n.*plan\\.bin is exactly what was sent`));
        assertEnds(await waybill(['verify', 'other.bin', '--against', against]), 10, /is not what was sent/);
      }
      const { downloads } = JSON.parse((await waybill(['--json', 'log'])).out);
      assert.deepEqual(downloads, [], 'looking is no download');
      assertEnds(await waybill(['verify', 'none.bin', '--against', sha256]), 1, /no such file/);
      assertEnds(await waybill(['verify', 'plan.bin', '--against', 'A'.repeat(22)]), 5, /not_found/);
      assertEnds(await waybill(['verify', 'plan.bin', '--against', sha256, '--key', 'k']), 2, /are for receipts/);
    });

    test('a receipt, and one in which a letter was changed', async () => {
      const { id } = await sendPlan();
      app.clock.advance(60_000);
      await app.app.jobs.runOnce('seal-events');
      const reply = await ann.fetch(`/message/${id}/receipt`);
      writeFileSync(join(line.home, 'receipt.json'), reply.text);
      const ran = await waybill(['verify', 'receipt.json']);
      assert.equal(ran.code, 0, ran.err);
      assert.match(ran.out, /^Nothing was changed\.\n\nThis proves:\n- /);
      assert.equal(JSON.parse((await waybill(['--json', 'verify', 'receipt.json'])).out).ok, true);
      writeFileSync(join(line.home, 'receipt.json'), reply.text.replace('plan.bin', 'plam.bin'));
      assertEnds(await waybill(['verify', 'receipt.json']), 10, /not as it was issued/);
      writeFileSync(join(line.home, 'receipt.json'), 'hello');
      assertEnds(await waybill(['verify', 'receipt.json']), 2, /receipt\.json is not a receipt\n.*--against/);
    });
  });

  test('--zip sends a folder as one archive, with the same bytes each time', async () => {
    const ran = await waybill(['--json', 'send', 'Pläne', '--zip', '--to', 'ben@x.example', '--chunk-size', '256KiB']);
    assert.equal(ran.code, 0, ran.err);
    const { message, files } = JSON.parse(ran.out);
    assert.deepEqual(
      files.map(({ name }: { name: string }) => name),
      ['Pläne.zip'],
    );
    assert.equal((await waybill(['get', message.id, '-o', 'got'])).code, 0);
    const archive = readFileSync(join(line.home, 'got', 'Pläne.zip'));
    assert.deepEqual(
      unpack(archive).map(({ name, bytes }) => [
        name,
        Buffer.from(bytes).equals(name.endsWith('.bin') ? content : Buffer.from('two')),
      ]),
      [
        ['Pläne/a.bin', true],
        ['Pläne/deep/b "2".txt', true],
      ],
    );
    assert.equal(files[0].size, archive.length);
    assert.equal(files[0].checksum, createHash('sha256').update(archive).digest('hex'));
    const link = await waybill(['-q', 'link', 'Pläne', 'plan.bin', '--zip']);
    assert.equal(link.out.trim().split('\n').length, 1);
  });

  test('--zip separates files of the same name, and accepts any modification time', async () => {
    const files = ['north', 'south'].map((folder) => join(folder, 'same.txt'));
    for (const file of files) {
      mkdirSync(join(line.home, file, '..'));
      writeFileSync(join(line.home, file), file);
    }
    // Later than a ZIP can store.
    utimesSync(join(line.home, files[0]!), new Date('2200-01-01'), new Date('2200-01-01'));
    const { out: link } = await waybill(['-q', 'link', ...files, '--zip']);
    assert.equal((await waybill(['get', link.trim(), '-o', 'apart'])).code, 0);
    const found = unpack(readFileSync(join(line.home, 'apart', 'files.zip')));
    assert.deepEqual(
      found.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]),
      [
        ['same.txt', files[0]],
        ['same (2).txt', files[1]],
      ],
    );
  });

  test('--wait ends with the check: immediately here, later elsewhere, with 8 when a file is blocked', async () => {
    assert.match(
      (await waybill(['send', 'plan.bin', '--to', 'b@x.example', '--wait'])).err,
      /Checked {4}nothing was found/,
    );
    let asked = 0;
    let isBlocked = false;
    const server = createServer(async (request, response) => {
      for await (const _ of request);
      const file = { id: 'a1', filename: 'plan.bin', processed: true, virus_scan_required: true };
      const bodies: Record<string, unknown> = {
        '/account': { user: { email: 'ann@other.example' } },
        '/message': { message: { id: 'm1', url: 'http://x/message/m1', expires_at: '2026-12-01' } },
        '/message/attachments/upload': { attachment: { id: 'a1' } },
        '/attachments': { attachments: [{ ...file, virus_scanned: ++asked > 1, content_blocked: isBlocked }] },
      };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(bodies[new URL(request.url!, 'http://x').pathname]));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const env = { WAYBILL_SERVER: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
      const ran = await waybill(['-q', 'send', 'plan.bin', '--to', 'b@x.example', '--wait'], { env });
      assert.deepEqual([ran.code, ran.out, asked > 1], [0, 'http://x/message/m1\n', true], ran.err);
      isBlocked = true;
      const blocked = await waybill(['send', 'plan.bin', '--to', 'c@x.example', '--wait'], { env });
      assertEnds(blocked, 8, /plan\.bin: it was blocked\nwaybill: the server blocked/);
    } finally {
      server.close();
    }
  });

  test('--copy, --open and --qr pass the link on, and report failures', async () => {
    const started: unknown[] = [];
    const machine = {
      env: { DISPLAY: ':0' },
      start: async (...one: unknown[]) => started.push(one) > 0,
    };
    const ran = await waybill(['link', 'plan.bin', '--copy', '--open', '--qr'], machine);
    assert.equal(ran.code, 0, ran.err);
    const url = ran.out.trim();
    assert.deepEqual(started, [
      ['xclip', ['-selection', 'clipboard'], url],
      ['xdg-open', [url], null],
    ]);
    assert.match(ran.err, /\n█{40,}\n/);
    const bare = await waybill(['link', 'plan.bin', '--copy', '--open']);
    assert.equal(bare.code, 0);
    assert.match(bare.err, /no clipboard here.*\n.*no browser could be opened/);
    const terminal = await waybill(['link', 'plan.bin', '--copy'], { columns: 80 });
    const copied = Buffer.from(terminal.out.trim()).toString('base64');
    assert.ok(terminal.err.includes(`\u001b]52;c;${copied}\u0007`));
  });

  test('irreversible actions need a confirmation at a terminal without --yes; scripts are not asked', async () => {
    const { id } = await sendPlan();
    const link = (await waybill(['-q', 'link', 'plan.bin'])).out.trim();
    assertEnds(
      await waybill(['links', 'rm', link], { typed: '\n' }),
      1,
      /Remove the link to plan\.bin \(\d+ KiB\)\? \[y\/N\].*nothing was changed/s,
    );
    assertEnds(await waybill(['revoke', id], { typed: 'no\n' }), 1, /nothing was changed/);
    assert.equal((await waybill(['revoke', id], { typed: 'y\n' })).code, 0);
    assert.equal((await waybill(['-y', 'links', 'rm', link], { typed: '' })).code, 0);
    const other = await sendPlan();
    assert.equal((await waybill(['revoke', other.id])).code, 0);
  });

  test('--progress=json with --json: lines on stderr, one document on stdout', async () => {
    const ran = await waybill(['--json', '--progress=json', 'link', 'plan.bin']);
    assert.equal(JSON.parse(ran.out).links.length, 1);
    const events = ran.err
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as { event: string; state?: string });
    assert.deepEqual([...new Set(events.map(({ event }) => event))].sort(), ['file', 'progress']);
    assert.equal(events.filter(({ event }) => event === 'file').at(-1)!.state, 'done');
  });

  test('the help of every command begins with three examples, and fits a screen', async () => {
    const { out } = await line.run(['--help']);
    assert.match(out, /^Examples:\n( {2}waybill [^\n]+\n){3}\nUsage: waybill <command> \[flags\]/);
    assert.ok(out.split('\n').length <= 41 && out.split('\n').every((text) => text.length <= 80), out);
    const commands = Object.keys(helpExamples).filter((words) => words !== '' && words !== 'flags');
    const known = out.split('\nCommands:\n')[1]!.matchAll(/^ {2}([a-z]+)/gm);
    assert.deepEqual(
      [...known].map(([, name]) => name!).filter((name) => name !== 'help' && !commands.includes(name)),
      [],
    );
    const page = (await line.run(['help', 'flags'])).out;
    assert.match(page, /^Examples:\n( {2}waybill [^\n]+\n){3}\nFlags of every command, /);
    assert.ok(page.split('\n').length <= 41 && page.split('\n').every((text) => text.length <= 80), page);
    const globals = new Set(page.match(/(?<= )--?[a-z][\w-]*/g));
    const named = out.split('\nFlags of every command')[1]!.match(/(?<= {2})--[a-z][\w-]*/g)!;
    assert.ok(named.includes('--json') && named.every((flag) => globals.has(flag)), String(named));
    for (const words of commands) {
      const help = (await line.run([...words.split(' '), '--help'])).out;
      const lines = help.split('\n');
      assert.ok(lines.length <= 41 && lines.every((text) => text.length <= 80), words);
      assert.equal(lines[0], 'Examples:');
      const own = new Set(help.split('\nUsage:')[1]!.match(/(?<= )--?[a-z][\w-]*/g));
      for (const example of lines.slice(1, 4)) {
        assert.ok(example.includes(` ${words}`), `${words}: ${example}`);
        for (const flag of example.match(/(?<= )--?[a-z][\w-]*/g) ?? [])
          assert.ok(own.has(flag) || globals.has(flag), `${words} has no ${flag}`);
      }
    }
  });

  describe('completes', () => {
    const offered = async (...words: string[]) => {
      const ran = await waybill(['__complete', '--', ...words]);
      assert.equal(ran.code, 0, ran.err);
      return ran.out
        .split('\n')
        .slice(0, -1)
        .map((text) => text.split('\t')[0]!);
    };

    test('commands and flags, and files elsewhere', async () => {
      assert.deepEqual(await offered('re'), ['request', 'revoke']);
      assert.deepEqual(await offered('links', 's'), ['show', 'set']);
      assert.ok((await offered('send', '--')).includes('--expires'));
      assert.ok((await offered('-q', 'send', '--')).includes('--profile'));
      assert.deepEqual(await offered('send', ''), []);
      assert.deepEqual(
        await offered('send', '--who', 'co'),
        ['confirmed', 'colleagues'].filter((one) => one.startsWith('co')),
      );
      assert.deepEqual(await offered('completion', ''), ['bash', 'zsh', 'fish', 'powershell']);
      assert.ok(!(await offered('')).includes('__complete'));
    });

    test('ids, recipients and profiles; nothing when the server is unreachable', async () => {
      const { id } = await sendPlan();
      const link = (await waybill(['-q', 'link', 'plan.bin'])).out.trim().split('/').at(-1)!;
      assert.ok((await offered('show', '')).includes(id));
      assert.deepEqual(await offered('revoke', id.slice(0, 12)), [id]);
      assert.ok((await offered('log', '--message', '')).includes(id));
      assert.ok((await offered('links', 'rm', '')).includes(link));
      assert.deepEqual(await offered('send', '--to', 'ben'), ['ben@x.example']);
      assert.deepEqual(await offered('send', '--to', 'eva@y.example,ben'), ['eva@y.example,ben@x.example']);
      const unreachable = await waybill(['__complete', '--', 'show', ''], {
        env: { WAYBILL_SERVER: 'http://127.0.0.1:9' },
      });
      assert.deepEqual([unreachable.code, unreachable.out], [0, '']);
      await line.run(['-p', 'work', 'config', 'set', 'server', app.url]);
      await line.run(['-p', 'home', 'config', 'set', 'server', app.url]);
      assert.deepEqual(await offered('-p', ''), ['work', 'home']);
      assert.deepEqual(await offered('-p', 'w'), ['work']);
    });
  });
});
