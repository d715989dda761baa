// Downloads on the command line, and interruptions of every kind.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { repositoryRoot } from '#scripts/source-files.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { asPerson, type Ran, useCommandLine } from '#test/kit/command-line.ts';
import { type CuttableProxy, openCuttableProxy } from '#test/kit/cuttable-proxy.ts';
import { eventually } from '#test/kit/eventually.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const content = randomBytes(3_000_000);
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

function assertEnds(ran: Ran, code: number, words: RegExp): void {
  assert.equal(ran.code, code, `${ran.out}${ran.err}`);
  assert.match(ran.err, words);
}

onOneEngine('the command line, receiving and resuming', (start) => {
  const app = useApp(start);
  const ann = usePerson(app, 'ann');
  const line = useCommandLine();
  const waybill = (args: string[], more: Parameters<typeof line.run>[1] = {}) =>
    line.run(args, { ...more, env: { ...asPerson(app, ann), ...more.env } });
  let link = '';
  let wire: CuttableProxy;
  before(async () => {
    writeFileSync(join(line.home, 'plan.bin'), content);
    link = (await waybill(['-q', 'link', 'plan.bin'])).out.trim();
    wire = await openCuttableProxy({ host: '127.0.0.1', port: Number(new URL(app.url).port) });
  });
  after(() => wire.close());

  test('downloads a link over several connections, verifies it and counts one download', async () => {
    const ran = await waybill(['--parallel', '4', '--chunk-size', '512KiB', 'get', link, '-o', 'many']);
    assert.equal(ran.code, 0, ran.err);
    assert.equal(sha256(readFileSync(join(line.home, 'many', 'plan.bin'))), sha256(content));
    const log = await waybill(['log', '--link', link]);
    assert.equal(log.out.trim().split('\n').length, 1);
    assert.deepEqual(readdirSync(join(line.home, 'many')), ['plan.bin']);
  });

  test('never overwrites a file without --force', async () => {
    mkdirSync(join(line.home, 'full'));
    writeFileSync(join(line.home, 'full', 'plan.bin'), 'mine');
    assertEnds(await waybill(['get', link, '-o', 'full']), 1, /is there already[\s\S]*--force/);
    assert.equal(readFileSync(join(line.home, 'full', 'plan.bin'), 'utf8'), 'mine');
    assert.equal((await waybill(['get', link, '-o', 'full', '--force'])).code, 0);
  });

  test('keeps files of the same name separate, even with --force', async () => {
    const parts = ['north', 'south'].map((part) => join(part, 'report.txt'));
    for (const part of parts) {
      mkdirSync(join(line.home, part, '..'));
      writeFileSync(join(line.home, part), `of the ${part}`);
    }
    const sent = await waybill(['-q', 'send', '--to', ann.email, ...parts, '--subject', 'Both']);
    assert.equal(sent.code, 0, sent.err);
    const id = sent.out.trim().split('/').at(-1)!;
    for (const more of [[], ['--force']]) {
      const ran = await waybill(['get', id, '-o', 'both', ...more]);
      assert.equal(ran.code, 0, ran.err);
      assert.deepEqual(readdirSync(join(line.home, 'both')).sort(), ['report (2).txt', 'report.txt']);
      const texts = ['report.txt', 'report (2).txt'].map((name) => readFileSync(join(line.home, 'both', name), 'utf8'));
      assert.deepEqual(
        texts,
        parts.map((part) => `of the ${part}`),
      );
    }
  });

  test('downloads files with names of maximum length, in any script', async () => {
    const names = [`${'x'.repeat(251)}.txt`, `${'報'.repeat(83)}.txt`, `${'ж'.repeat(118)}.txt`];
    for (const name of names) writeFileSync(join(line.home, name), name);
    const links = (await waybill(['-q', 'link', ...names])).out.trim().split('\n');
    assert.equal(links.length, names.length);
    const ran = await waybill(['get', ...links, '-o', 'long']);
    assert.equal(ran.code, 0, ran.err);
    assert.deepEqual(readdirSync(join(line.home, 'long')).sort(), names.toSorted());
    for (const name of names) assert.equal(readFileSync(join(line.home, 'long', name), 'utf8'), name);
  });

  test('resumes where it was stopped, and requests only missing bytes', async () => {
    const stopping = new AbortController();
    const stopped = waybill(
      ['--limit-rate', '1MB/s', '--parallel', '1', '--chunk-size', '512KiB', 'get', link, '-o', 'stopped'],
      {
        signal: stopping.signal,
      },
    );
    const notes = join(line.home, 'stopped', 'plan.bin.part.json');
    await eventually('a block is here', async () => JSON.parse(readFileSync(notes, 'utf8')).blocks.length > 0);
    stopping.abort('SIGINT');
    assertEnds(await stopped, 130, /^Stopped/m);
    assert.ok(!existsSync(join(line.home, 'stopped', 'plan.bin')));
    const kept = JSON.parse(readFileSync(notes, 'utf8')).blocks as number[];
    assert.ok(kept.length > 0);
    const ran = await waybill(['-v', '--chunk-size', '512KiB', 'get', link, '-o', 'stopped']);
    assert.equal(ran.code, 0, ran.err);
    assert.equal(sha256(readFileSync(join(line.home, 'stopped', 'plan.bin'))), sha256(content));
    assert.equal(ran.err.match(/GET \/dl\//g)?.length, 6 - kept.length);
  });

  test('succeeds although the connection is cut repeatedly', async () => {
    const through = link.replace(new URL(link).host, `127.0.0.1:${wire.port}`);
    let cuts = 0;
    const cutting = setInterval(() => {
      if (cuts++ >= 3) return;
      wire.cut();
      wire.mend();
    }, 300);
    try {
      // The ticket points to the page's own address, so both requests use the proxy.
      const ran = await line.run(['--limit-rate', '3MB/s', '--chunk-size', '256KiB', 'get', through, '-o', 'cut']);
      assert.equal(ran.code, 0, ran.err);
      assert.equal(sha256(readFileSync(join(line.home, 'cut', 'plan.bin'))), sha256(content));
    } finally {
      clearInterval(cutting);
    }
  });

  test('a restart of the server in the middle loses nothing', async () => {
    const env = { WAYBILL_SERVER: `http://127.0.0.1:${wire.port}`, WAYBILL_API_KEY: ann.key! };
    const before = wire.connectionCount();
    const sending = line.run(['--json', '--limit-rate', '1500kB/s', '--chunk-size', '256KiB', 'upload', 'plan.bin'], {
      env,
    });
    await eventually('bytes are on their way', async () => wire.connectionCount() > before + 1);
    await app.restart();
    const ran = await sending;
    assert.equal(ran.code, 0, ran.err);
    assert.equal(JSON.parse(ran.out).files[0].checksum, sha256(content));
  });

  test('after a kill at any moment, repeating the command sends one complete message', async () => {
    const server = `http://127.0.0.1:${wire.port}`;
    const env = { ...process.env, HOME: line.home, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '', WAYBILL_SERVER: server };
    const what = ['send', join(line.home, 'plan.bin'), '--to', 'ben@x.example', '-s', 'Killed'];
    const begin = (rate = '4MB/s') => {
      const args = ['cli/main.ts', '-q', '--chunk-size', '256KiB', '--limit-rate', rate, ...what];
      const child = spawn(process.execPath, args, {
        env: { ...env, WAYBILL_API_KEY: ann.key! },
        cwd: repositoryRoot,
        stdio: 'ignore',
      });
      return { child, ended: new Promise<number | null>((resolve) => child.on('exit', resolve)) };
    };
    const jobs = join(line.home, '.local', 'state', 'waybill', 'jobs');
    const kept = () => {
      const name = existsSync(jobs) ? readdirSync(jobs).find((one) => one.endsWith('.json')) : undefined;
      return name === undefined ? null : JSON.parse(readFileSync(join(jobs, name), 'utf8'));
    };
    for (const chunks of [1, 4, 8]) {
      const { child, ended } = begin('500kB/s');
      await eventually(`chunk ${chunks} has arrived`, async () => (kept()?.underWay[0]?.nextPiece ?? 0) >= chunks);
      child.kill('SIGKILL');
      assert.equal(await ended, null);
    }
    // The same while the message is sent, with an answer that never comes.
    const { child, ended } = begin();
    await eventually('it is being sent', async () => Object.keys(kept()?.sent ?? {}).length > 0);
    wire.silence();
    child.kill('SIGKILL');
    await ended;
    wire.mend();
    assert.equal(await begin().ended, 0);
    const { body } = await ann.expect(200, 'listSent', {});
    const { sent } = body as { sent: { subject: string; attachments: { checksum: string }[] }[] };
    const killed = sent.filter(({ subject }) => subject === 'Killed');
    assert.deepEqual(
      killed.map(({ attachments }) => attachments.map(({ checksum }) => checksum)),
      [[sha256(content)]],
    );
    assert.equal(kept(), null);
  });

  // A limit on file size fails like a full disk. The second limit leaves out only the last bytes.
  for (const kibibytes of [2000, Math.floor(content.length / 1024)])
    test(`a disk that is full after ${kibibytes} KiB is reported, and received bytes are kept`, async () => {
      const folder = `full after ${kibibytes}`;
      const get = `"${process.execPath}" cli/main.ts --chunk-size 256KiB get "${link}" -o "${join(line.home, folder)}"`;
      const child = spawn('bash', ['-c', `ulimit -f ${kibibytes}; exec ${get}`], {
        cwd: repositoryRoot,
        env: { ...process.env, HOME: line.home, XDG_CONFIG_HOME: '' },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let err = '';
      child.stderr.on('data', (part) => (err += part));
      const code = await new Promise((resolve) => child.on('close', resolve));
      assert.equal(code, 1, err);
      assert.match(err, /the disk is full/);
      assert.ok(!existsSync(join(line.home, folder, 'plan.bin')));
      const notes = readFileSync(join(line.home, folder, 'plan.bin.part.json'), 'utf8');
      const again = await waybill(['-v', '--chunk-size', '256KiB', 'get', link, '-o', folder]);
      assert.equal(again.code, 0, again.err);
      assert.equal(again.err.match(/GET \/dl\//g)?.length, 12 - JSON.parse(notes).blocks.length);
      assert.equal(sha256(readFileSync(join(line.home, folder, 'plan.bin'))), sha256(content));
    });

  test('output that cannot be written to a full disk is a failure', {
    skip: existsSync('/dev/full') ? false : 'no /dev/full on this system',
  }, async () => {
    const child = spawn('bash', ['-c', `exec "${process.execPath}" cli/main.ts completion bash > /dev/full`], {
      cwd: repositoryRoot,
      env: { ...process.env, HOME: line.home, XDG_CONFIG_HOME: '' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let err = '';
    child.stderr.on('data', (text) => {
      err += text;
    });
    assert.equal(await new Promise((resolve) => child.on('close', resolve)), 1);
    assert.equal(err, 'waybill: the output can’t be written: the disk is full (system.enospc)\n');
  });

  test('to stdout, with the hash as last line', async () => {
    writeFileSync(join(line.home, 'note.txt'), 'hello');
    const small = (await waybill(['-q', 'link', 'note.txt'])).out.trim();
    const ran = await waybill(['get', small, '-o', '-']);
    assert.equal(ran.out, 'hello');
    assert.equal(ran.err, `sha256 ${sha256('hello')}  note.txt\n`);
  });

  test('missing links, and links that need a password, are reported', async () => {
    writeFileSync(join(line.home, 'note.txt'), 'hello');
    const secret = await waybill(['-q', 'link', 'note.txt', '--password-stdin'], { stdin: 'open sesame\n' });
    assertEnds(await line.run(['get', secret.out.trim()]), 4, /asks for a password/);
    assertEnds(await line.run(['get', `${app.url}/link/${'A'.repeat(22)}`]), 5, /nothing at this address/);
  });
});

describe('the command line with other servers', () => {
  const line = useCommandLine();
  const open = async (listener: RequestListener) => {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
  };
  const json = (response: ServerResponse, body: unknown, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const read = async (request: IncomingMessage) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    return Buffer.concat(parts);
  };

  test('chunks in order, no ids of uploads, no keys: the file arrives complete', async () => {
    const chunks: Buffer[] = [];
    const seen: string[] = [];
    const server = await open(async (request, response) => {
      const url = new URL(request.url!, 'http://x');
      seen.push(`${request.method} ${url.pathname}${url.search}`);
      const body = await read(request);
      if (url.pathname === '/account') return json(response, { user: { email: 'ann@other.example', name: 'Ann' } });
      if (url.pathname === '/link')
        return json(response, { link: { id: '1', url: 'http://x/link/1', expires_at: '2026-12-01' } });
      assert.equal(request.headers['idempotency-key'], undefined);
      chunks.push(body);
      const isLast = chunks.length === Number(url.searchParams.get('chunks') ?? 1);
      if (isLast) json(response, { attachment: { id: 'a1' } });
      else response.writeHead(200, { 'upload-id': 'x' }).end();
    });
    try {
      writeFileSync(join(line.home, 'old.bin'), content.subarray(0, 900_000));
      const env = { WAYBILL_SERVER: server.url, WAYBILL_API_KEY: 'k' };
      const ran = await line.run(['-q', '--chunk-size', '256KiB', 'link', 'old.bin'], { env });
      assert.equal(ran.code, 0, ran.err);
      assert.equal(ran.out, 'http://x/link/1\n');
      assert.equal(sha256(Buffer.concat(chunks)), sha256(content.subarray(0, 900_000)));
      assert.ok(seen.every((one) => !one.includes('upload_id=new')));
    } finally {
      server.close();
    }
  });

  test('a newer server: new fields of its answers are passed on, and its refusals are handled by status', async () => {
    const server = await open(async (request, response) => {
      await read(request);
      const url = new URL(request.url!, 'http://x');
      response.setHeader('upload-chunk-size', '8388608');
      response.setHeader('x-of-the-future', 'yes');
      if (url.pathname === '/account')
        return json(response, { user: { email: 'ann@other.example', version: '9.1', of_the_future: [1] }, more: true });
      if (url.pathname === '/message/attachments/upload' && url.searchParams.get('filename') === 'late.bin')
        return json(response, { errors: ['Not on Sundays.'], code: 'calendar.sunday', request_id: 'r1' }, 422);
      if (url.pathname === '/message/attachments/upload') return json(response, { attachment: { id: 'a1', glow: 3 } });
      const message = { id: 'm1', url: 'http://x/message/m1', expires_at: '2026-12-01', mood: 'sunny' };
      if (url.pathname === '/message') return json(response, { message });
      json(response, { errors: ['Come back as somebody else.'], code: 'identity.other' }, 403);
    });
    try {
      const env = { WAYBILL_SERVER: server.url, WAYBILL_API_KEY: 'k' };
      writeFileSync(join(line.home, 'new.bin'), 'new');
      writeFileSync(join(line.home, 'late.bin'), 'late');
      const ran = await line.run(['--json', 'send', 'new.bin', '--to', 'b@x.example'], { env });
      assert.equal(ran.code, 0, ran.err);
      assert.equal(JSON.parse(ran.out).message.mood, 'sunny');
      assertEnds(
        await line.run(['send', 'late.bin', '--to', 'b@x.example'], { env }),
        6,
        /late\.bin: Not on Sundays\./,
      );
      assertEnds(await line.run(['show', 'x'], { env }), 4, /Come back as somebody else\. \(identity\.other/);
    } finally {
      server.close();
    }
  });

  test('9: a server that fails; 10: bytes that differ from the announced hash', async () => {
    const server = await open(async (request, response) => {
      await read(request);
      if (request.url === '/account') return json(response, { errors: ['Something went wrong.'] }, 500);
      const headers = {
        'content-length': '5',
        'repr-digest': `sha-256=:${Buffer.alloc(32).toString('base64')}:`,
        etag: '"1"',
      };
      response.writeHead(200, headers).end(request.method === 'HEAD' ? '' : 'hello');
    });
    try {
      assertEnds(
        await line.run(['whoami'], { env: { WAYBILL_SERVER: server.url, WAYBILL_API_KEY: 'k' } }),
        9,
        /Something went wrong/,
      );
      assertEnds(await line.run(['get', `${server.url}/dl/x/file.txt`]), 10, /not what was sent; it was removed/);
      assert.ok(!existsSync(join(line.home, 'download')));
    } finally {
      server.close();
    }
  });

  test('answers of a foreign server never control the terminal, and missing fields cause no internal error', async () => {
    const steering = '\u001b[2J\u009b8m\n✓ Delivered.';
    const refusals: unknown[] = [
      { errors: [`No${steering}`], code: `no${steering}` },
      { errors: 'No' },
      { errors: [7] },
      [],
    ];
    const server = await open(async (request, response) => {
      await read(request);
      if (request.url === '/filedrop/x') return json(response, { filedrop: { api_key: 'key' } });
      json(response, refusals[0], 422);
    });
    try {
      writeFileSync(join(line.home, 'a.txt'), 'a');
      const drop = () => line.run(['drop', `${server.url}/filedrop/x`, 'a.txt', '--from', 'dora@outside.example']);
      const asked = () => line.run(['whoami'], { env: { WAYBILL_SERVER: server.url, WAYBILL_API_KEY: 'k' } });
      for (; refusals.length > 0; refusals.shift())
        for (const { code, err } of [await drop(), await asked()]) {
          assert.ok(code !== 0 && code !== 1, err);
          assert.doesNotMatch(err, /[\u001b\u009b]|^✓/m);
        }
    } finally {
      server.close();
    }
  });

  test('7: an address that is not a Waybill server, such as a captive portal', async () => {
    const server = await open((_, response) => void response.end('<h1>Welcome</h1>'));
    try {
      const env = { WAYBILL_SERVER: server.url, WAYBILL_API_KEY: 'k' };
      assertEnds(await line.run(['whoami'], { env }), 7, /what answered is not a Waybill server/);
    } finally {
      server.close();
    }
  });

  test('an expired file address is requested again, and a cut answer continues at its last byte', async () => {
    const [given, asked]: [string[], string[]] = [[], []];
    const server = await open(async (request, response) => {
      await read(request);
      if (request.method === 'POST') {
        given.push(`/dl/${given.length}`);
        return void response.writeHead(303, { location: given.at(-1)! }).end();
      }
      const facts = { etag: '"1"', 'content-disposition': 'attachment; filename="worn.bin"' };
      if (request.method === 'HEAD') return void response.writeHead(200, { ...facts, 'content-length': '3000' }).end();
      asked.push(`${request.url} ${request.headers.range}`);
      if (asked.filter((one) => one.startsWith(`${request.url} `)).length > 2)
        return void response.writeHead(410).end();
      const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range!)!.map(Number) as [number, number, number];
      response.writeHead(206, { ...facts, 'content-length': String(to - from + 1) });
      response.write(content.subarray(from, Math.min(to, from + 1399) + 1), () => response.destroy());
    });
    try {
      const ran = await line.run(['--parallel', '1', '--chunk-size', '2000', 'get', `${server.url}/link/x`]);
      assert.equal(ran.code, 0, ran.err);
      assert.deepEqual(readFileSync(join(line.home, 'worn.bin')), content.subarray(0, 3000));
      assert.deepEqual(asked, [
        '/dl/0 bytes=0-1999',
        '/dl/0 bytes=1400-1999',
        '/dl/0 bytes=2000-2999',
        '/dl/1 bytes=2000-2999',
      ]);
    } finally {
      server.close();
    }
  });

  test('a file address that keeps failing is requested again only once', async () => {
    let clicks = 0;
    const server = await open(async (request, response) => {
      await read(request);
      if (request.method === 'POST') {
        clicks += 1;
        return void response.writeHead(303, { location: '/dl/none' }).end();
      }
      response.writeHead(request.method === 'HEAD' ? 200 : 410, { 'content-length': '3000', etag: '"1"' }).end();
    });
    try {
      assertEnds(await line.run(['get', `${server.url}/link/x`]), 5, /nothing at this address/);
      assert.equal(clicks, 2);
    } finally {
      server.close();
    }
  });

  test('a file name with a path is written inside the folder', async () => {
    const server = await open(async (request, response) => {
      await read(request);
      response
        .writeHead(200, { 'content-length': '5', 'content-disposition': 'attachment; filename="../../evil.txt"' })
        .end(request.method === 'HEAD' ? '' : 'hello');
    });
    try {
      mkdirSync(join(line.home, 'inside'), { recursive: true });
      const ran = await line.run(['get', `${server.url}/dl/x/y`, '-o', 'inside']);
      assert.equal(ran.code, 0, ran.err);
      assert.deepEqual(readdirSync(join(line.home, 'inside')), ['evil.txt']);
    } finally {
      server.close();
    }
  });

  test('signing in keeps the key in a file that only the user can read, and settings survive Windows line ends', async () => {
    const server = await open(async (request, response) => {
      const isKnown = request.headers.authorization === 'Bearer good';
      json(
        response,
        isKnown ? { user: { email: 'ann@other.example', name: 'Ann', group: 'G' } } : { errors: ['No.'] },
        isKnown ? 200 : 401,
      );
    });
    try {
      assertEnds(await line.run(['login', server.url, '--api-key-stdin'], { stdin: 'bad\n' }), 3, /No\./);
      const ran = await line.run(['login', server.url, '--api-key-stdin'], { stdin: 'good\n' });
      assert.equal(ran.code, 0, ran.err);
      const folder = join(line.home, '.config', 'waybill');
      assert.equal(statSync(join(folder, 'default.key')).mode & 0o777, 0o600);
      const text = readFileSync(join(folder, 'config.toml'), 'utf8');
      assert.ok(!text.includes('good'));
      writeFileSync(join(folder, 'config.toml'), `\uFEFF${text.replaceAll('\n', '\r\n')}`);
      assert.equal((await line.run(['-q', 'whoami'])).out, 'ann@other.example\n');
      // A key is sent only to its own server.
      assertEnds(await line.run(['--server', 'http://127.0.0.1:9', 'whoami']), 3, /not signed in/);
      writeFileSync(join(folder, 'config.toml'), 'profiles = 3');
      assertEnds(await line.run(['whoami']), 1, /config\.toml: profiles are written as/);
      writeFileSync(join(folder, 'config.toml'), '[profiles\n');
      assertEnds(await line.run(['whoami']), 1, /config\.toml, line 1/);
    } finally {
      server.close();
    }
  });
});
