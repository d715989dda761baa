// `waybill get` with hostile names and existing files: it writes only new files in the named folder. Also empty files.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { useCommandLine } from '#test/kit/command-line.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('waybill get', () => {
  const line = useCommandLine();
  let files: { name: string; text: string }[] = [];
  let requests: string[] = [];
  const server = createServer((request, response) => {
    const [, kind, index] = new URL(request.url!, 'http://x').pathname.split('/');
    if (kind !== 'dl') {
      const attachments = files.map(({ name, text }, at) => ({
        id: String(at),
        available: true,
        url: `/dl/${at}`,
        checksum: sha256(text),
        filename: name,
      }));
      return void response.end(JSON.stringify({ message: { attachments } }));
    }
    requests.push(`${request.method} ${request.headers.range ?? 'whole'}`);
    const { text } = files[Number(index)]!;
    const isPart = request.headers.range !== undefined;
    response.writeHead(isPart ? 206 : 200, { 'content-length': text.length, etag: `"${sha256(text)}"` });
    response.end(request.method === 'HEAD' ? '' : text);
  });
  before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  beforeEach(() => {
    requests = [];
  });
  after(() => server.close());

  let folder = '';
  const get = (output: string, ...more: string[]) => {
    folder = join(line.home, output);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return line.run(['get', 'x', '-o', output, ...more], { env: { WAYBILL_SERVER: url, WAYBILL_API_KEY: 'k' } });
  };
  const inFolder = (name: string) => join(folder, name);
  const there = () => readdirSync(folder).sort();
  const place = (output: string, name: string, text: string) => {
    const path = join(line.home, output, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };

  test('writes all files with hostile names into the folder itself, and creates no folders', async () => {
    const names = [
      '../../up.txt',
      '/etc/absolute.txt',
      'C:\\Windows\\drive.txt',
      '.bashrc',
      '_bashrc',
      '.ssh/authorized_keys',
      'con.txt',
      'a/same.txt',
      'b/same.txt',
      'SAME.txt',
      'same.txt . .',
      'plan.part',
      'plan.part.json',
      'plan',
      `${'x'.repeat(400)}.txt`,
      'line\nbreak\u001b]0;title\u0007.txt',
    ];
    files = names.map((name) => ({ name, text: `content of ${name}` }));
    const ran = await get('hostile');
    assert.equal(ran.code, 0, ran.err);
    const expected = [
      'SAME (3).txt',
      '_bashrc',
      '_bashrc (2)',
      '_con.txt',
      'absolute.txt',
      'authorized_keys',
      'drive.txt',
      'line\u{fffd}break\u{fffd}]0;title\u{fffd}.txt',
      'plan',
      'plan.part.json_',
      'plan.part_',
      'same (2).txt',
      'same (4).txt',
      'same.txt',
      'up.txt',
      `${'x'.repeat(251)}.txt`,
    ];
    assert.deepEqual(there(), expected.sort());
    assert.ok(there().every((name) => lstatSync(inFolder(name)).isFile()));
    assert.deepEqual(
      new Set(there().map((name) => readFileSync(inFolder(name), 'utf8'))),
      new Set(files.map(({ text }) => text)),
    );
    assert.ok(!existsSync(join(line.home, 'up.txt')));
  });

  test('follows no symbolic link in the folder', async () => {
    const target = place('outside', 'target.txt', 'mine');
    mkdirSync(join(line.home, 'links'));
    for (const [name, to] of Object.entries({
      file: target,
      folder: dirname(target),
      nowhere: join(line.home, 'new'),
    })) {
      const path = join(line.home, 'links', `${name}.txt`);
      symlinkSync(to, path);
      files = [{ name: `${name}.txt`, text: 'theirs' }];
      const refused = await get('links');
      assert.equal(refused.code, 1, refused.err);
      assert.match(refused.err, /is there already/);
      assert.equal(readlinkSync(path), to);
      const forced = await get('links', '--force');
      assert.equal(forced.code, 0, forced.err);
      assert.equal(readFileSync(path, 'utf8'), 'theirs');
      assert.ok(lstatSync(path).isFile(), 'the link is replaced, not its target');
    }
    assert.equal(readFileSync(target, 'utf8'), 'mine');
    assert.ok(!existsSync(join(line.home, 'new')));
  });

  for (const isForced of [false, true])
    test(`does not write through a symbolic link with the name of its part file${isForced ? ', also with --force' : ''}`, async () => {
      const output = `part-${isForced}`;
      const target = place('outside', `${output}.txt`, 'mine');
      mkdirSync(join(line.home, output));
      symlinkSync(target, join(line.home, output, 'plan.part'));
      files = [{ name: 'plan', text: 'theirs' }];
      const ran = await get(output, ...(isForced ? ['--force'] : []));
      assert.equal(ran.code, 1, ran.err);
      assert.match(ran.err, /plan\.part is there already/);
      assert.equal(readFileSync(target, 'utf8'), 'mine');
    });

  test('does not use a part file or state file of another program', async () => {
    files = [{ name: 'plan', text: 'theirs' }];
    const part = place('of-others', 'plan.part', 'mine');
    assert.match((await get('of-others')).err, /plan\.part is there already/);
    assert.equal(readFileSync(part, 'utf8'), 'mine');
    const note = place('of-others-too', 'plan.part.json', '{"mine":true}');
    assert.match((await get('of-others-too')).err, /plan\.part\.json is there already/);
    assert.equal(readFileSync(note, 'utf8'), '{"mine":true}');
  });

  test('downloads the whole file again when the part file belongs to an earlier version', async () => {
    files = [{ name: 'plan', text: 'the new content' }];
    place('stale', 'plan.part', 'the older content');
    const note = { etag: '"old"', sizeBytes: 17, blockBytes: 8_388_608, blocks: [0] };
    place('stale', 'plan.part.json', JSON.stringify(note));
    const ran = await get('stale');
    assert.equal(ran.code, 0, ran.err);
    assert.deepEqual([there(), readFileSync(inFolder('plan'), 'utf8')], [['plan'], 'the new content']);
  });

  test('does not replace a file that appears while it downloads', async () => {
    files = [{ name: 'plan', text: 'theirs' }];
    const appear = (request: { method?: string; url?: string }) => {
      if (request.method === 'GET' && request.url === '/dl/0') place('late', 'plan', 'mine');
    };
    server.prependListener('request', appear);
    try {
      const ran = await get('late');
      assert.equal(ran.code, 1, ran.err);
      assert.match(ran.err, /plan is there already/);
    } finally {
      server.removeListener('request', appear);
    }
    assert.equal(readFileSync(inFolder('plan'), 'utf8'), 'mine');
    const forced = await get('late', '--force');
    assert.equal(forced.code, 0, forced.err);
    assert.deepEqual([there(), readFileSync(inFolder('plan'), 'utf8')], [['plan'], 'theirs']);
  });

  test('requests an empty file, so that its sender sees that it was fetched', async () => {
    files = [{ name: 'empty.txt', text: '' }];
    const ran = await get('empty');
    assert.equal(ran.code, 0, ran.err);
    assert.deepEqual([there(), readFileSync(inFolder('empty.txt'), 'utf8')], [['empty.txt'], '']);
    assert.deepEqual(requests, ['HEAD whole', 'GET whole']);
  });
});
