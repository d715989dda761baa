// Reads `config.toml` with a sentence for every mistake, and writes it atomically and readable by
// its owner only.
import { readFileSync } from 'node:fs';
import { parse, stringify, TomlError } from 'smol-toml';
import { localFailure } from './failures.ts';
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
  commands: Record<string, Record<string, string | number | boolean>>;
}

const profileKeys = ['server', 'api_key', 'api_key_file', 'cacert'] as const;
const commandTables = ['send', 'link', 'request'];

export function readConfigFile(path: string): ConfigFile {
  let text: string;
  try {
    // Some editors write a byte order mark.
    text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {}, commands: {} };
    throw localFailure(`can’t read ${path} (${(error as NodeJS.ErrnoException).code})`, 'config.unreadable');
  }
  try {
    return checked(parse(text), path);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split('\n')[0]!.replace('Invalid TOML document: ', '');
    throw localFailure(`${path}, line ${error.line}: ${reason}`, 'config.invalid');
  }
}

function checked(raw: Record<string, unknown>, path: string): ConfigFile {
  const wrong = (what: string) => localFailure(`${path}: ${what}`, 'config.invalid');
  const result: ConfigFile = { profiles: {}, commands: {} };
  for (const [name, value] of Object.entries(raw)) {
    if (name === 'default_profile') {
      if (typeof value !== 'string') throw wrong('default_profile is the name of a profile');
      result.default_profile = value;
    } else if (name === 'profiles') {
      if (!isTable(value)) throw wrong('profiles are written as [profiles.name]');
      for (const [profile, entries] of Object.entries(value))
        result.profiles[profile] = profileOf(profile, entries, wrong);
    } else if (commandTables.includes(name) && isTable(value)) {
      result.commands[name] = value as Record<string, string | number | boolean>;
    } else {
      throw wrong(`there is no setting “${name}”`);
    }
  }
  return result;
}

function profileOf(name: string, entries: unknown, wrong: (what: string) => Error): Profile {
  if (!isTable(entries)) throw wrong(`profile ${name} has no settings of its own`);
  const profile: Profile = {};
  for (const [key, value] of Object.entries(entries)) {
    const known = profileKeys.find((candidate) => candidate === key);
    if (known === undefined) throw wrong(`profile ${name} has no setting “${key}”`);
    if (typeof value !== 'string') throw wrong(`${key} of profile ${name} is a text in quotes`);
    profile[known] = value;
  }
  return profile;
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

export function writeConfigFile(path: string, config: ConfigFile): void {
  const { commands, ...rest } = config;
  writePrivate(path, stringify({ ...rest, ...commands }));
}
