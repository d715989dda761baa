// Files, folders and stdin as sources for the transfer engine.

import { randomUUID } from 'node:crypto';
import { createWriteStream, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { usageFailure } from './failures.ts';
import { stateFolder } from './folders.ts';
import { type LocalFile, localFile } from './local-file.ts';
import type { Session } from './session.ts';
import type { World } from './world.ts';
import { zipOf } from './zip.ts';

export interface SourceOptions {
  /** The name for stdin. */
  name: string | undefined;
  /** File names include their folders. */
  keepFolders: boolean;
  /** One archive of everything. */
  isZipped: boolean;
}

export function sourceOptions(flags: { name?: string; dir?: boolean; zip?: boolean }): SourceOptions {
  return { name: flags.name, keepFolders: flags.dir === true, isZipped: flags.zip === true };
}

/** In the given order; files of a folder by name. */
export async function readSources(
  { world, output }: Pick<Session, 'world' | 'output'>,
  args: readonly string[],
  options: SourceOptions,
): Promise<LocalFile[]> {
  if (args.filter((arg) => arg === '-').length > 1) throw usageFailure('stdin can be sent once only');
  const found: LocalFile[] = [];
  const left: string[] = [];
  for (const arg of args) {
    if (arg === '-') found.push(await spooledStdin(world, options.name));
    else found.push(...filesAt(world, arg, { keepFolders: options.keepFolders, leaveOut: (path) => left.push(path) }));
  }
  for (const path of left) output.warn(`waybill: ${path} is no file of its own and is left out`);
  if (found.length === 0) throw usageFailure('there is nothing to send in the folders named');
  return options.isZipped ? [await zipOf(archiveOf(world, args), found)] : found;
}

/** Named after its folder or file if there is only one. */
function archiveOf({ cwd }: World, args: readonly string[]): Pick<LocalFile, 'name' | 'path'> {
  const path = args.length === 1 && args[0] !== '-' ? resolve(cwd, args[0]!) : cwd;
  return { path, name: path === cwd ? 'files.zip' : `${basename(path)}.zip` };
}

interface Folders {
  keepFolders: boolean;
  /** Called for entries that are not sent: symbolic links, pipes, devices. */
  leaveOut(path: string): void;
}

function filesAt(world: World, arg: string, { keepFolders, leaveOut }: Folders): LocalFile[] {
  const path = resolve(world.cwd, arg);
  const stat = statSync(path);
  if (stat.isDirectory())
    return listFolder(path, leaveOut).map((file) => localFile(file, [basename(path), relative(path, file)].join('/')));
  if (!stat.isFile()) throw usageFailure(`${arg} is neither a file nor a folder`);
  const inside = relative(world.cwd, path);
  return [localFile(path, keepFolders && !inside.startsWith('..') ? inside : basename(path))];
}

function listFolder(folder: string, leaveOut: Folders['leaveOut']): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listFolder(path, leaveOut);
    if (entry.isFile()) return [path];
    leaveOut(path);
    return [];
  });
}

/** The number of chunks must be known before the first is sent, so stdin is written to disk. */
async function spooledStdin(world: World, name: string | undefined): Promise<LocalFile> {
  if (name === undefined) throw usageFailure('stdin needs a name', 'Add --name report.pdf.');
  if (world.stdin.isTTY === true) throw usageFailure('there is nothing on stdin', 'Pipe something into the command.');
  const folder = join(stateFolder(world), 'stdin');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, randomUUID());
  try {
    await pipeline(world.stdin, createWriteStream(path, { mode: 0o600 }), { signal: world.signal });
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
  const file = localFile(path, name);
  return {
    ...file,
    path: '-',
    async close() {
      await file.close();
      rmSync(path, { force: true });
    },
  };
}
