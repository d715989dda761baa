// A disk after a power cut, rebuilt from what a traced program wrote and synced: bytes count only when an fsync that
// began after their write has ended, and a file's name only when its folder was synced. For tests.
import { spawn } from 'node:child_process';
import { createReadStream, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';

/** One step of a program: it changed a file of the folder, or said something on its standard output. */
export type Step =
  | { kind: 'create' | 'unlink'; name: string }
  | { kind: 'write'; name: string; offset: number; bytes: Buffer }
  | { kind: 'truncate'; name: string; sizeBytes: number }
  | { kind: 'sync-begins' | 'sync-ends'; name: string; thread: string }
  | { kind: 'says'; text: string };

/** The folder itself, as the name of what was synced. */
export const FOLDER = '.';

const CALLS = 'openat,close,write,pwrite64,fsync,fdatasync,ftruncate,unlink,rename,renameat,renameat2,writev,pwritev';

/** Runs a command under strace until it ends by itself. Rejects with a sentence when strace is not there. */
export async function traceProgram(command: string[], tracePath: string): Promise<void> {
  // SQLite's -shm is memory shared between connections; it is rebuilt after a crash and never needs to be traced.
  const child = spawn('strace', ['-f', '-xx', '-s', '1000000', '-e', `trace=${CALLS}`, '-o', tracePath, ...command], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, UV_USE_IO_URING: '0' },
  });
  let complaint = '';
  child.stderr.on('data', (piece) => {
    complaint += piece;
  });
  await new Promise<void>((resolve, reject) => {
    child.once('error', (error) =>
      reject(new Error(`this test needs the program strace (package "strace"): ${error.message}`)),
    );
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`the program failed: ${complaint}`))));
  });
}

/** The steps of a trace that concern files directly inside the folder, in the order in which the kernel ended them. */
export async function* readSteps(tracePath: string, folder: string): AsyncGenerator<Step> {
  const names = new Map<number, string>();
  const unfinished = new Map<string, string>();
  for await (const line of createInterface({ input: createReadStream(tracePath) })) {
    const [, thread, rest] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    if (thread === undefined || rest === undefined) continue;
    if (rest.endsWith('<unfinished ...>')) {
      const begun = rest.slice(0, -'<unfinished ...>'.length).trimEnd();
      unfinished.set(thread, begun);
      yield* syncBegins(begun, names, thread);
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>\s*(.*)$/.exec(rest);
    if (!resumed) yield* syncBegins(rest, names, thread);
    const call = resumed ? `${unfinished.get(thread)}${resumed[1]}` : rest;
    yield* stepsOfCall(call, names, folder, thread);
  }
}

function* syncBegins(call: string, names: Map<number, string>, thread: string): Generator<Step> {
  const descriptor = /^(?:fsync|fdatasync)\((\d+)/.exec(call)?.[1];
  const name = descriptor === undefined ? undefined : names.get(Number(descriptor));
  if (name !== undefined) yield { kind: 'sync-begins', name, thread };
}

function* stepsOfCall(call: string, names: Map<number, string>, folder: string, thread: string): Generator<Step> {
  const parsed = /^(\w+)\((.*)\)\s+=\s+(-?\d+)/.exec(call);
  if (!parsed) return;
  const [, verb, text, result] = parsed as unknown as [string, string, string, string];
  if (Number(result) < 0) return;
  const strings = [...text.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map((match) => bytesOf(match[1]!));
  const numbers = text
    .replace(/"[^"]*"/g, '')
    .split(',')
    .map((part) => Number(part.trim()));
  const name = names.get(numbers[0]!);
  switch (verb) {
    case 'openat': {
      const opened = nameInside(strings[0]!.toString(), folder);
      if (opened === undefined) return;
      names.set(Number(result), opened);
      if (text.includes('O_CREAT')) yield { kind: 'create', name: opened };
      if (text.includes('O_TRUNC')) yield { kind: 'truncate', name: opened, sizeBytes: 0 };
      return;
    }
    case 'close':
      names.delete(numbers[0]!);
      return;
    case 'unlink': {
      const gone = nameInside(strings[0]!.toString(), folder);
      if (gone !== undefined) yield { kind: 'unlink', name: gone };
      return;
    }
    case 'write':
      if (numbers[0] === 1) yield { kind: 'says', text: strings[0]!.toString() };
      else if (name !== undefined) throw new Error(`the replay does not follow write() to ${name}`);
      return;
    case 'pwrite64':
      if (name !== undefined) yield { kind: 'write', name, offset: numbers[3]!, bytes: strings[0]! };
      return;
    case 'ftruncate':
      if (name !== undefined) yield { kind: 'truncate', name, sizeBytes: numbers[1]! };
      return;
    case 'fsync':
    case 'fdatasync':
      if (name !== undefined) yield { kind: 'sync-ends', name, thread };
      return;
    default:
      // writev, rename and the like: a replay that skipped one would prove nothing.
      if (name !== undefined || strings.some((each) => nameInside(each.toString(), folder) !== undefined)) {
        throw new Error(`the replay does not follow ${verb}()`);
      }
  }
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
  /** Changes that no finished sync covers yet, in order. */
  pending: Change[];
  /** How many of the pending ones each running sync covers, by thread. */
  syncing: Map<string, number>;
}

export interface TracedDisk {
  apply(step: Step): void;
  /** Writes the files as they are after a power cut now. `keeps` tells for each unsynced change whether it made it. */
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

/** Always a copy: snapshots share nothing. */
function resized(content: Buffer, sizeBytes: number): Buffer {
  const copy = Buffer.alloc(sizeBytes);
  content.copy(copy, 0, 0, sizeBytes);
  return copy;
}
