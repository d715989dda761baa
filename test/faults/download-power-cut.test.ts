// A power cut during `waybill get`: the state file never names a block that is not durable, and only a complete file gets
// its name.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { repositoryRoot } from '#scripts/source-files.ts';
import { straceRequirement } from '#test/kit/servers/packages.ts';

const blockBytes = 64 * 1024;
const content = Buffer.alloc(20 * blockBytes - 1000, 'content');
const blockCount = Math.ceil(content.length / blockBytes);

type Call = { begins: boolean; ends: boolean; thread: string; verb: string; text: string };

/** The calls of a trace, in order; an interrupted call begins and ends in two lines. */
function* callsOf(trace: string): Generator<Call> {
  const unfinished = new Map<string, string>();
  for (const line of trace.split('\n')) {
    const [, thread, rest] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    if (thread === undefined || rest === undefined) continue;
    const [, begun] = /^(.*)<unfinished \.\.\.>$/.exec(rest) ?? [];
    const [, resumed] = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest) ?? [];
    if (begun !== undefined) unfinished.set(thread, begun);
    const text = resumed === undefined ? (begun ?? rest) : `${unfinished.get(thread)}${resumed}`;
    const verb = /^\w+/.exec(text)?.[0] ?? '';
    yield { begins: resumed === undefined, ends: begun === undefined, thread, verb, text };
  }
}

interface Moment {
  /** What the state file claims from here on, or that the file has its name. */
  is: number[] | 'named';
  durable: Buffer;
}

/** What a power cut would leave after each change of the state file and when the file gets its name. */
function momentsOf(trace: string, folder: string): Moment[] {
  const part = join(folder, 'plan.bin.part');
  const [written, durable] = [Buffer.alloc(content.length), Buffer.alloc(content.length)];
  const syncing = new Map<string, Buffer>();
  const notes = new Map<string, number[]>();
  const moments: Moment[] = [];
  for (const { begins, ends, thread, verb, text } of callsOf(trace)) {
    const path = /^\w+\(\d+<([^>]*)>/.exec(text)?.[1] ?? '';
    if (verb === 'pwrite64' && ends && path === part) {
      const [, offset, count] = /, (\d+)\s*\)\s+= (\d+)$/.exec(text)!.map(Number) as [number, number, number];
      written.fill(1, offset, offset + count);
    }
    if (/^f(data)?sync$/.test(verb) && path === part) {
      if (begins) syncing.set(thread, Buffer.from(written));
      if (ends) for (const [at, byte] of syncing.get(thread)!.entries()) if (byte === 1) durable[at] = 1;
    }
    if (verb === 'write' && ends && path.startsWith(`${part}.json`)) {
      const [, numbers] = /\\"blocks\\":\[([\d,]*)\]/.exec(text)!;
      notes.set(path, numbers === '' ? [] : numbers!.split(',').map(Number));
    }
    const [, from, to] = /^(?:rename|link)\w*\((?:AT_FDCWD\S* )?"([^"]+)", (?:AT_FDCWD\S* )?"([^"]+)"/.exec(text) ?? [];
    if (!begins || from === undefined) continue;
    if (to === `${part}.json`) moments.push({ is: notes.get(from)!, durable: Buffer.from(durable) });
    if (to === join(folder, 'plan.bin')) moments.push({ is: 'named', durable: Buffer.from(durable) });
  }
  return moments;
}

describe('a download', { skip: straceRequirement.isMet() ? false : 'needs the program strace' }, () => {
  const server = createServer((request, response) => {
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '')?.map(Number) ?? [];
    const bytes = from === undefined ? content : content.subarray(from, to! + 1);
    const disposition = 'attachment; filename="plan.bin"';
    const headers = { 'content-length': bytes.length, etag: '"1"', 'content-disposition': disposition };
    response.writeHead(from === undefined ? 200 : 206, headers);
    response.end(request.method === 'HEAD' ? undefined : bytes);
  });
  let folder = '';
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'waybill-test-'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('claims no block before its bytes are durable, and claims all of them in the end', async () => {
    const trace = join(folder, 'trace');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/dl/1/plan.bin`;
    const calls = 'trace=pwrite64,fsync,fdatasync,write,rename,renameat,renameat2,link,linkat';
    const options = ['-f', '-y', '--seccomp-bpf', '-s', '4096', '-e', calls, '-o', trace];
    const program = [
      process.execPath,
      'cli/main.ts',
      '--parallel',
      '4',
      '--chunk-size',
      String(blockBytes),
      'get',
      url,
    ];
    const child = spawn('strace', [...options, ...program, '-o', join(folder, 'got')], {
      cwd: repositoryRoot,
      env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: '', UV_USE_IO_URING: '0' },
      stdio: 'ignore',
    });
    assert.equal(await new Promise((resolve) => child.on('exit', resolve)), 0);
    const moments = momentsOf(readFileSync(trace, 'utf8'), join(folder, 'got'));
    const claims = moments.flatMap(({ is }) => (is === 'named' ? [] : [is.length]));
    assert.deepEqual([claims.at(0), claims.at(-1)], [0, blockCount]);
    assert.equal(moments.at(-1)?.is, 'named');
    for (const { is, durable } of moments)
      for (const block of is === 'named' ? Array.from({ length: blockCount }, (_, at) => at) : is)
        assert.ok(
          !durable.subarray(block * blockBytes, (block + 1) * blockBytes).includes(0),
          `block ${block} is lost`,
        );
  });
});
