// Reads `config.toml` with a sentence for every mistake, and writes it atomically and readable by
// its owner only.
import { copyFileSync, readFileSync } from 'node:fs';
import { parse, stringify, TomlError } from 'smol-toml';
import { type Failure, localFailure } from './failures.ts';
import { writePrivate } from './private-file.ts';

export interface Profile {
  server?: string;
  api_key?: string;
  api_key_file?: string;
  cacert?: string;
}

export interface ConfigFile {
  default_profile?: string;
  profiles: Record<string, Profile>;
  /** Defaults of single commands: `[send] expires = "14d"`. */
  commands: Record<string, Record<string, string>>;
  /** What is wrong in the file and therefore not used. */
  faults: ConfigFault[];
}

export interface ConfigFault {
  /** The table that has the fault, such as `send` or `profiles.work`; null: the file as a whole. */
  table: string | null;
  failure: Failure;
}

const profileKeys = ['server', 'api_key', 'api_key_file', 'cacert'] as const;
export const commandKeys: Record<string, readonly string[]> = {
  send: ['expires', 'who'],
  link: ['expires'],
  request: ['expires'],
};

/** Faults are returned and not thrown, so that a wrong setting disables only what needs it. */
export function readConfigFile(path: string): ConfigFile {
  const result: ConfigFile = { profiles: {}, commands: {}, faults: [] };
  const add: AddFault = (table, sentence) => {
    result.faults.push({ table, failure: localFailure(sentence, 'config.invalid', 'Correct it in that file.') });
  };
  let text: string;
  try {
    // Some editors write a byte order mark.
    text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT')
      result.faults.push({ table: null, failure: localFailure(`can’t read ${path} (${code})`, 'config.unreadable') });
    return result;
  }
  try {
    readTables(parse(text), result, (table, sentence) => add(table, `${path}: ${sentence}`));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split('\n')[0]!.replace('Invalid TOML document: ', '');
    add(null, `${path}, line ${error.line}: ${reason}`);
  }
  return result;
}

type AddFault = (table: string | null, sentence: string) => void;

function readTables(raw: Record<string, unknown>, result: ConfigFile, add: AddFault): void {
  for (const [name, value] of Object.entries(raw)) {
    const keys = commandKeys[name];
    if (name === 'default_profile') {
      if (typeof value === 'string') result.default_profile = value;
      else add(null, 'default_profile is the name of a profile, in quotes');
    } else if (name === 'profiles') {
      if (!isTable(value)) add(null, 'profiles are written as [profiles.name]');
      else
        for (const [profile, entries] of Object.entries(value))
          result.profiles[profile] = textsOf(entries, { table: `profiles.${profile}`, keys: profileKeys, add });
    } else if (keys !== undefined) {
      result.commands[name] = textsOf(value, { table: name, keys, add });
    } else {
      add(null, `there is no setting “${name}”`);
    }
  }
}

function textsOf(
  entries: unknown,
  { table, keys, add }: { table: string; keys: readonly string[]; add: AddFault },
): Record<string, string> {
  const texts: Record<string, string> = {};
  if (!isTable(entries)) {
    add(table, `${table} is a table: write [${table}] on a line of its own`);
    return texts;
  }
  for (const [key, value] of Object.entries(entries)) {
    if (!keys.includes(key)) add(table, `[${table}] has no setting “${key}”; known: ${keys.join(', ')}`);
    else if (typeof value !== 'string') add(table, `${key} of [${table}] is a text in quotes`);
    else texts[key] = value;
  }
  return texts;
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Keeps a copy of a file with faults, because what they stand in is not written again; returns its path. */
export function writeConfigFile(path: string, { commands, faults, ...rest }: ConfigFile): string | null {
  const copy = faults.length === 0 ? null : `${path}.old`;
  if (copy !== null) copyFileSync(path, copy);
  writePrivate(path, stringify({ ...rest, ...commands }));
  return copy;
}
