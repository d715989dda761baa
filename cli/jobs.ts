// What is remembered of a command until it has succeeded, so that the same command typed again goes on where it was
// stopped: uploads under way, files that have arrived, and the key under which something was sent. A week old, it goes.
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FileSource } from '../transfer/ports.ts';
import { isSameFile } from '../transfer/rules.ts';
import type { SavedUpload } from '../transfer/states.ts';
import { writePrivate } from './config-file.ts';
import { stateFolder } from './folders.ts';
import { takeLock } from './lock.ts';
import type { World } from './world.ts';

interface Arrived {
  name: string;
  sizeBytes: number;
  modifiedAt: number | null;
  attachmentId: string;
}

/** A creation that may have reached the server. */
export interface Sent {
  key: string;
  body: unknown;
  sentAt: number;
}

interface Kept {
  keptAt: number;
  underWay: SavedUpload[];
  arrived: Arrived[];
  sent: Record<string, Sent>;
}

export interface Job {
  savedUpload(source: FileSource): SavedUpload | null;
  arrivedId(source: FileSource): string | null;
  keepUpload(upload: SavedUpload): void;
  keepArrived(source: FileSource, attachmentId: string): void;
  forgetFile(source: FileSource): void;
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

/** `identity`: all that makes two commands the same. */
export function openJob(world: World, identity: unknown): Job {
  const folder = join(stateFolder(world), 'jobs');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeOld(folder, world.now());
  const name = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
  const path = join(folder, `${name}.json`);
  const lock = join(folder, `${name}.lock`);
  takeLock(lock);
  const kept = readKept(path);
  const save = () => writePrivate(path, JSON.stringify({ ...kept, keptAt: world.now() }));
  const release = () => rmSync(lock, { force: true });
  const without = <Known extends Pick<FileSource, 'name' | 'sizeBytes' | 'modifiedAt'>>(list: Known[], file: Known) =>
    list.filter((one) => one.name !== file.name || !isSameFile(one, file));
  return {
    savedUpload: (source) => kept.underWay.find((one) => isSameFile(one, source)) ?? null,
    arrivedId: (source) => kept.arrived.find((one) => isSameFile(one, source))?.attachmentId ?? null,
    keepUpload(upload) {
      kept.underWay = [...without(kept.underWay, upload), upload];
      save();
    },
    keepArrived({ name: fileName, sizeBytes, modifiedAt }, attachmentId) {
      const arrived = { name: fileName, sizeBytes, modifiedAt, attachmentId };
      kept.arrived = [...without(kept.arrived, arrived), arrived];
      kept.underWay = kept.underWay.filter((one) => !isSameFile(one, arrived));
      save();
    },
    forgetFile(source) {
      kept.underWay = kept.underWay.filter((one) => !isSameFile(one, source));
      kept.arrived = kept.arrived.filter((one) => !isSameFile(one, source));
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
