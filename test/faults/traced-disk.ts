// A disk after a power cut, rebuilt from a trace: bytes count only after a later fsync, and names only after a sync of
// the folder.
import { spawn } from 'node:child_process';
import { createReadStream, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** A change of a file in the folder, or a line on standard output. */
export type Step =
  | { kind: 'create' | 'unlink'; name: string }
  | { kind: 'write'; name: string; offset: number; bytes: Buffer }
  | { kind: 'truncate'; name: string; sizeBytes: number }
  | { kind: 'sync-begins' | 'sync-ends'; name: string; thread: string }
  | { kind: 'says'; text: string };

export const FOLDER = '.';

/** All calls that open, name, change or sync files. A pattern, because names vary by architecture (`unlink`, `unlinkat`). */
const CALLS =
  '/^(open|creat|mknod|dup|p?write|f?truncate|fallocate|f?sync|fdatasync|syncfs|unlink|rename|link|symlink)';
const OTHER_CALLS = '/^(copy_file_range|sendfile|splice|sync_file_range|ficlone)';

/** Runs a command under strace to its end. Rejects with a sentence when strace is missing. */
export async function traceProgram(command: string[], tracePath: string): Promise<void> {
  // -y prints the path of each descriptor. --seccomp-bpf keeps other calls fast.
  const options = ['-f', '-y', '-xx', '--seccomp-bpf', '-s', '1000000', '-e', `trace=${CALLS},${OTHER_CALLS}`];
  const child = spawn('strace', [...options, '-o', tracePath, ...command], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, UV_USE_IO_URING: '0' },
  });
  let errorOutput = '';
  child.stderr.on('data', (chunk) => {
    errorOutput += chunk;
  });
  await new Promise<void>((resolve, reject) => {
    child.once('error', (error) =>
      reject(new Error(`this test needs the program strace (package "strace"): ${error.message}`)),
    );
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`the program failed: ${errorOutput}`))));
  });
}

/** The steps of a trace that concern files directly inside the folder, in the order in which the kernel finished them. */
export async function* readSteps(tracePath: string, folder: string): AsyncGenerator<Step> {
  const unfinished = new Map<string, string>();
  for await (const line of createInterface({ input: createReadStream(tracePath) })) {
    const [, thread, rest] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    if (thread === undefined || rest === undefined) continue;
    if (rest.endsWith('<unfinished ...>')) {
      const begun = rest.slice(0, -'<unfinished ...>'.length).trimEnd();
      unfinished.set(thread, begun);
      yield* syncBegins(begun, folder, thread);
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>\s*(.*)$/.exec(rest);
    if (!resumed) yield* syncBegins(rest, folder, thread);
    const call = parseCall(resumed ? `${unfinished.get(thread)}${resumed[1]}` : rest, folder);
    if (call !== null) yield* stepsOfCall(call, thread);
  }
}

interface Call {
  verb: string;
  numbers: number[];
  strings: Buffer[];
  /** The file in the folder that it names, by path or descriptor. */
  name: string | undefined;
  text: string;
}

/** Null for failed calls and other lines. */
function parseCall(line: string, folder: string): Call | null {
  const [, verb, text, result] = /^(\w+)\((.*)\)\s+=\s+(-?\d+)/.exec(line) ?? [];
  if (verb === undefined || text === undefined || Number(result) < 0) return null;
  const strings = [...text.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map((match) => bytesOf(match[1]!));
  const numbers = text
    .replace(/"[^"]*"|<[^>]*>(\(deleted\))?/g, '')
    .split(',')
    .map((part) => Number(part.trim()));
  return { verb, text, strings, numbers, name: namedFile(verb, text, strings, folder) };
}

const takesPath = /^(open|creat|mknod|truncate|unlink|rename|link|symlink)/;

function namedFile(verb: string, text: string, strings: Buffer[], folder: string): string | undefined {
  const descriptor = /^(?:\d+|AT_FDCWD)<((?:\\x[0-9a-f]{2})*)>(\(deleted\))?/.exec(text);
  const place = descriptor?.[1] === undefined ? undefined : bytesOf(descriptor[1]).toString();
  if (!takesPath.test(verb)) {
    const isGone = descriptor?.[2] !== undefined;
    return place === undefined || isGone ? undefined : nameInside(place, folder);
  }
  const names = strings.map((path) => nameInside(resolve(place ?? '/', path.toString()), folder));
  return names.find((name) => name !== undefined);
}

function* syncBegins(begun: string, folder: string, thread: string): Generator<Step> {
  const [verb, text] = begun.split('(', 2) as [string, string | undefined];
  if (text === undefined || !isSync(verb)) return;
  const name = namedFile(verb, text, [], folder);
  if (name !== undefined) yield { kind: 'sync-begins', name, thread };
}

function isSync(verb: string): boolean {
  return verb === 'fsync' || verb === 'fdatasync';
}

function* stepsOfCall(call: Call, thread: string): Generator<Step> {
  const { verb, name, numbers, strings, text } = call;
  if (verb === 'write' && numbers[0] === 1) return yield { kind: 'says', text: strings[0]!.toString() };
  if (name === undefined) return;
  if (/^(open(at2?)?|creat)$/.test(verb)) {
    if (verb === 'creat' || text.includes('O_CREAT')) yield { kind: 'create', name };
    if (verb === 'creat' || text.includes('O_TRUNC')) yield { kind: 'truncate', name, sizeBytes: 0 };
  } else if (/^unlink(at)?$/.test(verb)) yield { kind: 'unlink', name };
  else if (/^pwrite(64)?$/.test(verb)) yield { kind: 'write', name, offset: numbers[3]!, bytes: strings[0]! };
  else if (/^ftruncate(64)?$/.test(verb)) yield { kind: 'truncate', name, sizeBytes: numbers[1]! };
  else if (isSync(verb)) yield { kind: 'sync-ends', name, thread };
  // writev, rename and the like: a replay must not skip one.
  else throw new Error(`the replay does not follow ${verb}() of ${name}`);
}

function nameInside(path: string, folder: string): string | undefined {
  if (path === folder) return FOLDER;
  return path === join(folder, basename(path)) ? basename(path) : undefined;
}

function bytesOf(escaped: string): Buffer {
  return Buffer.from(escaped.replaceAll('\\x', ''), 'hex');
}

type Change = (content: Buffer) => Buffer;

interface TracedFile {
  durable: Buffer;
  /** Changes that no finished sync covers, in order. */
  pending: Change[];
  /** The number of pending changes that each running sync covers, by thread. */
  syncing: Map<string, number>;
}

export interface TracedDisk {
  apply(step: Step): void;
  /** Writes the files as a power cut would leave them. `keeps` decides for each unsynced change whether it survives. */
  cutPower(intoFolder: string, keeps: () => boolean): void;
}

export function createTracedDisk(): TracedDisk {
  const files = new Map<string, TracedFile>();
  let durableNames = new Map<string, TracedFile>();
  let namesWhenSyncBegan = new Map<string, TracedFile>();

  function fileNamed(name: string): TracedFile {
    const known = files.get(name);
    if (known) return known;
    const created: TracedFile = { durable: Buffer.alloc(0), pending: [], syncing: new Map() };
    files.set(name, created);
    return created;
  }

  function endSync(file: TracedFile, thread: string): void {
    const covered = file.syncing.get(thread) ?? 0;
    file.syncing.delete(thread);
    for (const change of file.pending.splice(0, covered)) file.durable = change(file.durable);
    for (const [other, count] of file.syncing) file.syncing.set(other, Math.max(0, count - covered));
  }

  return {
    apply(step) {
      if (step.kind === 'says') return;
      if (step.name === FOLDER) {
        if (step.kind === 'sync-begins') namesWhenSyncBegan = new Map(files);
        if (step.kind === 'sync-ends') durableNames = namesWhenSyncBegan;
        return;
      }
      if (step.kind === 'unlink') {
        files.delete(step.name);
        return;
      }
      const file = fileNamed(step.name);
      if (step.kind === 'write') file.pending.push((content) => written(content, step.offset, step.bytes));
      if (step.kind === 'truncate') file.pending.push((content) => resized(content, step.sizeBytes));
      if (step.kind === 'sync-begins') file.syncing.set(step.thread, file.pending.length);
      if (step.kind === 'sync-ends') endSync(file, step.thread);
    },
    cutPower(intoFolder, keeps) {
      mkdirSync(intoFolder, { recursive: true });
      for (const [name, file] of durableNames) {
        if (name.endsWith('-shm')) continue;
        const content = file.pending.filter(keeps).reduce((before, change) => change(before), file.durable);
        writeFileSync(join(intoFolder, name), content);
      }
    },
  };
}

function written(content: Buffer, offset: number, bytes: Buffer): Buffer {
  const grown = resized(content, Math.max(content.length, offset + bytes.length));
  bytes.copy(grown, offset);
  return grown;
}

/** A copy, because snapshots share nothing. */
function resized(content: Buffer, sizeBytes: number): Buffer {
  const copy = Buffer.alloc(sizeBytes);
  content.copy(copy, 0, 0, sizeBytes);
  return copy;
}
