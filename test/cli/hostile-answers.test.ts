// A server with control characters in all strings and headers: no command passes them on or forges a line or column.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type Ran, useCommandLine } from '#test/kit/command-line.ts';

const steering = '\u001b]0;owned\u0007\u009b31m\u0000\u007f\u202e\u2066\u200f\u2028\tCOLUMN\r\nFORGED $(id) `id`; #';
const forbidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200f\u2028-\u202e\u2066-\u2069]|^FORGED/m;
/** The program's own terminal output. */
const own =
  /\r\u001b\[2K|\u001b\[\d+A|\u001b\[0J|\u001b\[(1|2|22)m|\u001b\]52;c;[A-Za-z0-9+/=]*\u0007|\u001b\[\d*[GJK]/g;

const words = {
  before: (text: string) => `${steering}${text}`,
  after: (text: string) => `${text}${steering}`,
};
type Place = keyof typeof words;

/** All strings of a value, at any depth. */
function hostile(value: unknown, place: Place): unknown {
  if (typeof value === 'string') return words[place](value);
  if (Array.isArray(value)) return value.map((one) => hostile(one, place));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, hostile(one, place)]));
}

const attachment = { id: 'a1', filename: 'plan.txt', size: 5, url: '/dl/1', checksum: '', available: true };
const message = {
  id: 'm1',
  url: 'https://files.example/message/m1',
  subject: 'Plans',
  sender: 'ann@x.example',
  recipients: ['ben@x.example'],
  created_at: '2026-11-19T10:00:00Z',
  expires_at: '2026-12-01',
  authorization_description: 'Anybody',
  attachments: [attachment],
};
const link = {
  id: 'l1',
  url: 'https://files.example/link/l1',
  filename: 'plan.txt',
  size: 5,
  expires_at: '2026-12-01',
  require_authentication: false,
};
const download = {
  downloaded_at: '2026-11-19T10:00:00Z',
  recipient: 'ben@x.example',
  remote_ip: '192.0.2.1',
  size: 5,
  filename: 'plan.txt',
};
const user = {
  email: 'ann@x.example',
  name: 'Ann',
  group: 'Users',
  message_max_size: 5,
  permitted_extensions: 'pdf',
  blocked_extensions: 'exe',
  api_key_expires_at: '2026-12-01T00:00:00Z',
  can_use_messages: true,
};
const blocked = { id: 'a1', filename: 'plan.txt', content_blocked: true, content_blocked_message: 'A virus.' };
const everything = {
  user: { ...user, api_key: 'key' },
  message,
  messages: [message],
  sent: [message],
  link,
  links: [link],
  request: { id: 'r1', url: 'https://files.example/requests/r1', expires_at: '2026-12-01' },
  downloads: [download],
  attachment: { id: 'a1', size: 5, crc32: '' },
  attachments: [blocked],
  filedrop: { api_key: 'key' },
  pairing: {
    token: 't',
    code: 'ABCD',
    url: 'https://files.example/pair',
    expires_in: 600,
    interval: 0,
    api_key: 'key',
  },
  dry_run: { allowed: true, rules: [{ code: 'rule', allowed: true, sentence: 'Yes.' }] },
  items: [{ id: 'p1', email: 'ann@x.example' }],
  event: 'forged',
};
const refusal = { errors: ['No.'], code: 'refused', request_id: 'r1', field: 'subject' };

const commands: string[][] = [
  ['whoami'],
  ['list'],
  ['list', '--received'],
  ['show', 'm1'],
  ['revoke', 'm1'],
  ['log'],
  ['log', '--message', 'm1'],
  ['log', '--link', 'l1'],
  ['send', 'plan.txt', '--to', 'ben@x.example', '--wait', '--again'],
  ['--dry-run', 'send', 'plan.txt', '--to', 'ben@x.example'],
  ['upload', 'plan.txt'],
  ['link', 'plan.txt', '--again', '--copy', '--open', '--qr'],
  ['links', 'ls'],
  ['links', 'show', 'l1'],
  ['links', 'set', 'l1', '--receipt'],
  ['links', 'rm', 'l1'],
  ['request', '--from', 'ben@x.example', '--again'],
  ['drop', 'SERVER/filedrop/x', 'plan.txt', '--from', 'ann@x.example'],
  ['drop', 'SERVER/requests/x', 'plan.txt'],
  ['get', 'm1', '-o', 'got', '--force'],
  ['get', 'SERVER/link/l1', '-o', 'got', '--force'],
  ['get', 'SERVER/dl/1', '-o', 'got', '--force'],
  ['get', 'SERVER/dl/1', '-o', '-'],
  ['verify', 'plan.txt', '--against', 'm1'],
  ['admin', 'api-key', 'ann@x.example', '--reason', 'move'],
  ['doctor'],
  ['login', 'SERVER', '--api-key-stdin'],
  ['login', 'SERVER'],
  ['logout'],
  ['config', 'list'],
  ['__complete', '--', 'show', ''],
  ['__complete', '--', 'links', 'show', ''],
  ['__complete', '--', 'send', '--to', ''],
];

describe('answers of a hostile server', () => {
  const line = useCommandLine();
  let respond: (response: ServerResponse, path: string) => void;
  const server = createServer((request, response) => {
    request.resume().on('end', () => respond(response, new URL(request.url!, 'http://x').pathname));
  });
  let url = '';
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => writeFileSync(join(line.home, 'plan.txt'), 'hello'));
  after(() => server.close());

  // In headers Node accepts only controls beyond ASCII, which can still control a terminal.
  const headerSteering = '\u009b31m\u0090';
  const answering = (place: Place) => (response: ServerResponse, path: string) => {
    response.setHeader('upload-chunk-size', '8388608');
    response.setHeader('upload-id', `u${headerSteering}`);
    if (path.startsWith('/dl/')) {
      const disposition = `attachment; filename="${headerSteering}plan.txt"`;
      return void response.writeHead(200, { 'content-disposition': disposition, 'content-length': '5' }).end('hello');
    }
    if (path.startsWith('/link/') && path.endsWith('/download'))
      return void response.writeHead(303, { location: '/dl/1' }).end();
    response.end(JSON.stringify(hostile(everything, place)));
  };
  const refusing = (status: number, place: Place) => (response: ServerResponse) => {
    response.writeHead(status, { 'retry-after': `5${headerSteering}`, 'x-request-id': headerSteering });
    response.end(JSON.stringify(hostile(refusal, place)));
  };

  const modes: [name: string, flags: string[], columns: number | undefined][] = [
    ['in a pipe', [], undefined],
    ['on a terminal', [], 80],
    ['with --quiet', ['-q'], undefined],
    ['with --verbose', ['-v'], 80],
    ['with --json', ['--json', '--progress=json'], undefined],
    ['with --events=json', ['--events=json'], undefined],
  ];
  const run = (args: string[], flags: string[] = [], columns?: number): Promise<Ran> =>
    line.run(['--timeout', '200ms', ...flags, ...args.map((arg) => arg.replace('SERVER', url))], {
      env: { WAYBILL_SERVER: url, WAYBILL_API_KEY: 'k' },
      stdin: 'key\n',
      start: async () => false,
      ...(columns === undefined ? {} : { columns }),
    });
  const assertHarmless = ({ out, err }: Ran, what: string) => {
    for (const text of [out, err]) {
      assert.doesNotMatch(text.replace(own, ''), forbidden, what);
      assert.ok(!text.includes('a fault of this program'), `${what}: ${text}`);
    }
  };

  for (const [mode, flags, columns] of modes) {
    for (const place of ['before', 'after'] as const)
      test(`${mode}, controls ${place} every text`, async () => {
        respond = answering(place);
        for (const args of commands) assertHarmless(await run(args, flags, columns), args.join(' '));
      });
    for (const status of [401, 422])
      test(`${mode}, refusals with ${status}`, async () => {
        respond = refusing(status, 'after');
        for (const args of commands) assertHarmless(await run(args, flags, columns), args.join(' '));
      });
  }

  test('a question shows none', async () => {
    respond = answering('after');
    const asked = await line.run(['--timeout', '200ms', 'login', url], { typed: 'key\n' });
    assertHarmless(asked, 'login');
    assert.match(asked.err, /ABCD\u{fffd}/u);
  });

  test('columns come only from the program', async () => {
    respond = answering('after');
    for (const [args, count] of [
      [['list'], 6],
      [['links', 'ls'], 5],
      [['log'], 5],
    ] as const)
      assert.deepEqual(
        (await run([...args])).out
          .trimEnd()
          .split('\n')
          .map((row) => row.split('\t').length),
        [count],
      );
  });

  test('JSON contains exactly the server’s answer, and an answer cannot name the kind of an event', async () => {
    respond = answering('after');
    assert.deepEqual(JSON.parse((await run(['list'], ['--json'])).out).messages, [hostile(message, 'after')]);
    const events = (await run(['show', 'm1'], ['--events=json'])).out.trimEnd().split('\n');
    assert.deepEqual(
      events.map((text) => JSON.parse(text).event),
      ['message'],
    );
  });

  test('completion offers no value that a shell would execute', async () => {
    respond = answering('after');
    for (const args of commands.filter(([first]) => first === '__complete')) assert.equal((await run(args)).out, '');
    const texts = ['a;id', '$(id)', '`id`', '--force', '~root', 'a b', "a'b", 'a&b', 'a|b', '*', '!!', 'fine_1'];
    respond = (response) => void response.end(JSON.stringify({ sent: texts.map((id) => ({ ...message, id })) }));
    assert.equal((await run(['__complete', '--', 'show', ''])).out, 'fine_1\tPlans (ben@x.example)\n');
  });

  test('--open starts no program for an address other than http(s), and --copy copies one line', async () => {
    const started: unknown[][] = [];
    const open = (address: string) => {
      const body = { ...everything, link: { ...link, url: address } };
      respond = (response) => {
        response.setHeader('upload-chunk-size', '8388608');
        response.end(JSON.stringify(body));
      };
      return line.run(['link', 'plan.txt', '--open', '--copy', '--again'], {
        env: { WAYBILL_SERVER: url, WAYBILL_API_KEY: 'k', DISPLAY: ':0' },
        start: async (...one) => started.push(one) > 0,
      });
    };
    for (const address of ['file:///etc/passwd', 'javascript:alert(1)', '--version', 'https://x.example/\nid\n']) {
      const ran = await open(address);
      assert.equal(ran.code, 0, ran.err);
    }
    assert.deepEqual(
      started.filter(([command]) => command === 'xdg-open'),
      [['xdg-open', ['https://x.example/id'], null]],
    );
    assert.ok(started.every(([, , input]) => !String(input).includes('\n')));
  });
});
