// What is remembered of a command until it has succeeded, so that the same command typed again goes on where it was
// stopped: uploads under way, files that have arrived, and the key under which something was sent. A week old, it goes.
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isSameFile } from '../transfer/rules.ts';
import type { SavedUpload } from '../transfer/states.ts';
import { stateFolder } from './folders.ts';
import type { LocalFile } from './local-file.ts';
import { takeLock } from './lock.ts';
import { writePrivate } from './private-file.ts';
import type { World } from './world.ts';

/** A file of this machine. Two of one name, size and time are two files if they are in different places. */
type Known = Pick<LocalFile, 'path' | 'name' | 'sizeBytes' | 'modifiedAt'>;

const isSame = (one: Known, other: Known) => one.path === other.path && isSameFile(one, other);

interface Arrived extends Known {
  attachmentId: string;
}

interface UnderWay extends SavedUpload {
  path: string;
}

/** A creation that may have reached the server. */
export interface Sent {
  key: string;
  body: unknown;
  sentAt: number;
}

interface Kept {
  keptAt: number;
  underWay: UnderWay[];
  arrived: Arrived[];
  sent: Record<string, Sent>;
}

export interface Job {
  savedUpload(file: Known): SavedUpload | null;
  arrivedId(file: Known): string | null;
  keepUpload(file: Known, upload: SavedUpload): void;
  keepArrived(file: Known, attachmentId: string): void;
  forgetFile(file: Known): void;
  sent(name: string): Sent | null;
  /** Before it is sent: the same key and body are used again. */
  keepSent(name: string, body: unknown): Sent;
  forgetSent(name: string): void;
  /** It has succeeded: nothing is remembered. */
  finish(): void;
  /** Another run may take it up. */
  release(): void;
}

const weekMs = 7 * 86_400_000;

/** `identity` and `flags`: all that makes two commands the same. Only `--again` is about the same one. */
export function openJob(world: World, identity: readonly unknown[], flags: object): Job {
  const folder = join(stateFolder(world), 'jobs');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeOld(folder, world.now());
  const sameFlags = { ...flags, again: undefined };
  const name = createHash('sha256')
    .update(JSON.stringify([...identity, sameFlags]))
    .digest('hex')
    .slice(0, 32);
  const path = join(folder, `${name}.json`);
  const lock = join(folder, `${name}.lock`);
  takeLock(lock);
  const kept = readKept(path);
  // A lost upload is sent again; a lost key of something sent would send it twice.
  const save = () =>
    writePrivate(path, JSON.stringify({ ...kept, keptAt: world.now() }), {
      isLasting: Object.keys(kept.sent).length > 0,
    });
  const release = () => rmSync(lock, { force: true });
  const without = <Kind extends Known>(list: Kind[], file: Known) => list.filter((one) => !isSame(one, file));
  return {
    savedUpload: (file) => kept.underWay.find((one) => isSame(one, file)) ?? null,
    arrivedId: (file) => kept.arrived.find((one) => isSame(one, file))?.attachmentId ?? null,
    keepUpload(file, upload) {
      kept.underWay = [...without(kept.underWay, file), { ...upload, path: file.path }];
      save();
    },
    keepArrived({ path: from, name: fileName, sizeBytes, modifiedAt }, attachmentId) {
      const arrived = { path: from, name: fileName, sizeBytes, modifiedAt, attachmentId };
      kept.arrived = [...without(kept.arrived, arrived), arrived];
      kept.underWay = without(kept.underWay, arrived);
      save();
    },
    forgetFile(file) {
      kept.underWay = without(kept.underWay, file);
      kept.arrived = without(kept.arrived, file);
      save();
    },
    sent: (what) => kept.sent[what] ?? null,
    keepSent(what, body) {
      const sent = { key: randomUUID(), body, sentAt: world.now() };
      kept.sent[what] = sent;
      save();
      return sent;
    },
    forgetSent(what) {
      delete kept.sent[what];
      save();
    },
    finish() {
      rmSync(path, { force: true });
      release();
    },
    release,
  };
}

function readKept(path: string): Kept {
  try {
    const kept = JSON.parse(readFileSync(path, 'utf8')) as Partial<Kept>;
    if (Array.isArray(kept.underWay) && Array.isArray(kept.arrived) && typeof kept.sent === 'object')
      return kept as Kept;
  } catch {
    // Not there, or not whole: then nothing is known.
  }
  return { keptAt: 0, underWay: [], arrived: [], sent: {} };
}

function removeOld(folder: string, now: number): void {
  for (const entry of readdirSync(folder)) {
    const path = join(folder, entry);
    if (now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) > weekMs) rmSync(path, { force: true });
  }
}
