// Finds and reads the settings of the installed service, for commands in a shell that has none.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorProblem } from './operator-problem.ts';

export interface SettingsFile {
  path: string;
  values: Record<string, string>;
  /** Of the unit. */
  user?: string;
}

const usualFile = '/etc/waybill/waybill.env';
/** In the order of systemd. */
const unitFolders = ['/etc/systemd/system', '/run/systemd/system', '/usr/lib/systemd/system', '/lib/systemd/system'];

/** A file that was named; it must exist. */
export function readSettingsFile(path: string): SettingsFile {
  const text = read(path);
  if (text === null) throw new OperatorProblem(`${path} does not exist: it was named by --env-file.`);
  return { path, values: parseSettings(text) };
}

/** The settings of the unit waybill.service, or else of the usual file; null where neither exists. */
export function findServiceSettings(root = '/'): SettingsFile | null {
  const unit = readUnit(root);
  const named = unit.flatMap((line) => /^EnvironmentFile=-?(\/.*)$/.exec(line)?.[1]?.trim() ?? []);
  const values = Object.assign({}, ...unit.map(environmentOf)) as Record<string, string>;
  const found: string[] = [];
  for (const path of named.length > 0 ? named : [usualFile]) {
    const text = read(join(root, path));
    if (text === null) continue;
    Object.assign(values, parseSettings(text));
    found.push(path);
  }
  if (found.length === 0 && Object.keys(values).length === 0) return null;
  const user = unit.findLast((line) => line.startsWith('User='))?.slice('User='.length);
  const path = found.length > 0 ? found.join(', ') : 'the unit waybill.service';
  return { path, values, ...(user === undefined ? {} : { user }) };
}

function readUnit(root: string): string[] {
  for (const folder of unitFolders) {
    const text = read(join(root, folder, 'waybill.service'));
    if (text === null) continue;
    const dropIns = join(root, '/etc/systemd/system/waybill.service.d');
    const more = list(dropIns).map((name) => read(join(dropIns, name)) ?? '');
    return [text, ...more].flatMap((part) => part.replaceAll(/\\\n/g, ' ').split('\n')).map((line) => line.trim());
  }
  return [];
}

function environmentOf(line: string): Record<string, string> {
  const list = /^Environment=(.*)$/.exec(line)?.[1] ?? '';
  const words = list.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  return parseSettings(words.map((word) => word.replace(/^(["'])(.*)\1$/, '$2')).join('\n'));
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.conf'))
      .toSorted();
  } catch {
    return [];
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new OperatorProblem(
      `The settings of the service are in ${path}, which this user cannot read. Run the command as root (sudo).`,
    );
  }
}

/** As systemd reads an EnvironmentFile: comments take whole lines, and values may be quoted. */
export function parseSettings(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const line of text.replaceAll(/(?<!\\)\\\r?\n/g, '').split(/\r?\n/)) {
    const match = /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/.exec(line);
    if (match !== null) values[match[1]!] = unquoted(match[2]!.trim());
  }
  return values;
}

function unquoted(value: string): string {
  if (/^'[^']*'$/.test(value)) return value.slice(1, -1);
  if (/^".*"$/.test(value)) return value.slice(1, -1).replaceAll(/\\(["\\`$])/g, '$1');
  return value.replaceAll(/\\(.)/g, '$1');
}
