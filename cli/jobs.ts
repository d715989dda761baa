// State of a command until it succeeds, so that repeating the command resumes it: open uploads,
// uploaded files, and idempotency keys. Deleted after a week.
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

/** Identifies a local file by its path, name, size and time. */
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
  /** Nothing is known of an earlier run. */
  isNew: boolean;
  savedUpload(file: Known): SavedUpload | null;
  arrivedId(file: Known): string | null;
  keepUpload(file: Known, upload: SavedUpload): void;
  keepArrived(file: Known, attachmentId: string): void;
  forgetFile(file: Known): void;
  sent(name: string): Sent | null;
  /** Saves key and body before they are sent. */
  keepSent(name: string, body: unknown): Sent;
  forgetSent(name: string): void;
  /** Deletes the state after success. */
  finish(): void;
  /** Lets another run resume it. */
  release(): void;
}

const weekMs = 7 * 86_400_000;

/** `identity` and `flags` say which commands are the same; `--again` is not part of them. */
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
  // A lost upload is repeated; a lost key would send something twice.
  const save = () =>
    writePrivate(path, JSON.stringify({ ...kept, keptAt: world.now() }), {
      isLasting: Object.keys(kept.sent).length > 0,
    });
  const release = () => rmSync(lock, { force: true });
  const without = <Kind extends Known>(list: Kind[], file: Known) => list.filter((one) => !isSame(one, file));
  return {
    isNew: kept.keptAt === 0,
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
    // Missing or incomplete: start without state.
  }
  return { keptAt: 0, underWay: [], arrived: [], sent: {} };
}

function removeOld(folder: string, now: number): void {
  for (const entry of readdirSync(folder)) {
    const path = join(folder, entry);
    if (now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) > weekMs) rmSync(path, { force: true });
  }
}
