// Each documented exit code is reached, with a sentence that names cause and remedy.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { onOneEngine } from '#test/kit/app.ts';
import { asPerson, type RunOptions, useCommandLine } from '#test/kit/command-line.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';
import { exitCodes } from '../../cli/failures.ts';

interface Case {
  args: string[];
  words?: RegExp;
  options?: RunOptions;
}

onOneEngine('exit codes', (start) => {
  const app = useApp(start);
  const ann = usePerson(app, 'ann');
  const line = useCommandLine(() => app.clock.now());
  const stopped = (signal: string) => AbortSignal.abort(signal);
  before(() => {
    writeFileSync(join(line.home, 'note.txt'), 'hello');
    writeFileSync(join(line.home, 'tool.exe'), 'MZ');
  });
  const unknown = 'A'.repeat(22);
  const send = ['send', 'note.txt', '--to', 'ben@x.example'];

  const cases: Record<keyof typeof exitCodes, Case[]> = {
    done: [
      { args: ['whoami'] },
      { args: ['-q', 'send', 'note.txt', '--to', '"Ode, Ben" <ben@x.example>, eva@y.example'] },
      { args: ['-q', 'send', 'note.txt'], options: { typed: 'ben@x.example\n' }, words: /^To \(e-mail addresses\): / },
    ],
    failed: [{ args: ['link', 'nothing.txt'], words: /no such file or folder/ }],
    wrongUsage: [
      { args: ['links', 'ls', '--limit', '-3'], words: /--limit: “-3” is not a number of at least 1/ },
      { args: ['--limit-rate', 'fast', 'link', 'note.txt'], words: /--limit-rate: “fast” is not a size\nWrite it as/ },
      { args: ['--timeout', 'soon', 'list'], words: /--timeout: “soon” is not a time\nWrite it as/ },
      { args: ['send', 'note.txt', '--to', 'Ben Ode'], words: /--to: “Ben Ode” is not an address\nWrite ben@example/ },
      { args: ['send', 'note.txt'], words: /a recipient is missing\nAdd --to/ },
      { args: ['--events', 'xml', 'list'], words: /Allowed choices are json/ },
    ],
    notSignedIn: [{ args: ['whoami'], options: { env: { WAYBILL_API_KEY: 'wrong' } }, words: /waybill login/ }],
    notPermitted: [{ args: ['send', 'tool.exe', '--to', 'ben@x.example'], words: /\.exe files can’t be sent/ }],
    notFound: [{ args: ['show', unknown], words: /message\.not_found/ }],
    refused: [{ args: [...send, '--expires', '2020-01-01'], words: /expiry date is in the past/ }],
    network: [
      {
        args: ['--server', 'http://127.0.0.1:9', 'whoami'],
        words: /can’t be reached \(ECONNREFUSED\).*\nCheck the address/,
      },
      { args: ['get', 'http://127.0.0.1:9/link/x'], words: /can’t be reached \(ECONNREFUSED\)/ },
      { args: ['--server', 'https://no-such-host.invalid', 'whoami'], words: /no-such-host\.invalid.*\nCheck/ },
      { args: ['get', 'https://no-such-host.invalid/link/x', '--timeout', '10ms'], words: /no-such-host\.invalid/ },
    ],
    partlyDone: [{ args: ['link', 'note.txt', 'tool.exe'], words: /1 of 2 files have no link/ }],
    serverError: [],
    checksumMismatch: [
      { args: ['verify', 'note.txt', '--against', 'a'.repeat(64)], words: /is not what was sent .*\nIts SHA-256 is/ },
    ],
    interrupted: [{ args: ['link', 'note.txt'], options: { signal: stopped('SIGINT') }, words: /^Stopped\./m }],
    terminated: [{ args: ['link', 'note.txt'], options: { signal: stopped('SIGTERM') }, words: /^Stopped\./m }],
  };
  for (const [name, code] of Object.entries(exitCodes))
    for (const { args, words = /(?:)/, options } of cases[name as keyof typeof exitCodes])
      test(`${code}: ${args.join(' ')}`, async () => {
        const ran = await line.run(args, { ...options, env: { ...asPerson(app, ann), ...options?.env } });
        assert.equal(ran.code, code, `${ran.out}${ran.err}`);
        assert.match(ran.err, words);
        assert.ok(!ran.err.includes('a fault of this program'), ran.err);
      });

  const answering = async (listener: RequestListener, args: string[]) => {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const env = { WAYBILL_SERVER: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, WAYBILL_API_KEY: 'k' };
    try {
      return await line.run(args, { env });
    } finally {
      server.close();
      server.closeAllConnections();
    }
  };

  test('9: a server that fails', async () => {
    const ran = await answering((_, response) => void response.writeHead(500).end('oops'), ['whoami']);
    assert.equal(ran.code, 9);
    assert.match(ran.err, /the server answered with status 500/);
  });

  for (const status of [200, 301, 404, 405])
    test(`7: another kind of server, which answers with a page and ${status}`, async () => {
      const listener: RequestListener = (_, response) => void response.writeHead(status).end('<h1>Welcome</h1>');
      const ran = await answering(listener, ['whoami']);
      assert.equal(ran.code, 7, ran.err);
      assert.match(ran.err, /what answered is not a Waybill server \(status \d+\).*\nCheck the address/);
    });

  test('2: more than 1,000 files suggest --zip before anything is sent', async () => {
    const args = ['send', ...Array.from({ length: 1001 }, () => 'note.txt'), '--to', 'ben@x.example'];
    const ran = await line.run(args, { env: asPerson(app, ann) });
    assert.equal(ran.code, 2);
    assert.match(ran.err, /^waybill: 1001 files are too many for one message \(at most 1000\)\nAdd --zip/);
  });
});
