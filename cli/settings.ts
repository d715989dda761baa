// Settings in order of precedence: flags, environment, profile, defaults.

import { readFileSync, statSync } from 'node:fs';
import { parseUrl } from '../transfer/older-platforms.ts';
import { type ConfigFile, readConfigFile } from './config-file.ts';
import { readSeconds, readSize } from './durations.ts';
import { exitCodes, Failure, localFailure, usageFailure } from './failures.ts';
import { configFile, expandHome } from './folders.ts';
import type { World } from './world.ts';

export interface GlobalFlags {
  profile?: string;
  server?: string;
  json?: boolean;
  events?: string;
  quiet?: boolean;
  verbose?: boolean;
  progress?: string;
  input?: boolean;
  yes?: boolean;
  timeout?: string;
  parallel?: string;
  chunkSize?: string;
  limitRate?: string;
  dryRun?: boolean;
  color?: boolean;
  cacert?: string;
  insecure?: boolean;
}

export interface Settings {
  profile: string;
  /** Without a trailing slash. */
  server: string | null;
  apiKey: string | null;
  caFile: string | null;
  isInsecure: boolean;
  isJson: boolean;
  hasEvents: boolean;
  /** Progress as JSON lines on stderr. */
  hasJsonProgress: boolean;
  isQuiet: boolean;
  isVerbose: boolean;
  mayAsk: boolean;
  /** `--yes`. */
  isAgreed: boolean;
  isDryRun: boolean;
  hasColour: boolean;
  timeoutMs: number;
  /** Ends a command without progress; the engine alone would retry for ever. */
  patienceMs: number;
  /** Null: automatic. */
  parallel: number | null;
  chunkBytes: number | null;
  bytesPerSecond: number | null;
  /** Of settings that are wrong and not used; for commands that work without them. */
  faults: readonly Failure[];
  /** The value of a flag, else that of the configuration file. */
  chosen<Value>(
    command: string,
    key: string,
    given: string | undefined,
    read: (text: string) => Value,
  ): Value | undefined;
}

const defaultTimeoutMs = 60_000;
const silentTimeouts = 5;
const mostParallel = 8;

/** What a command needs of the settings. */
export interface Needs {
  /** The command creates the profile. */
  isNewProfile?: boolean;
  /** The command works with wrong settings, because it shows or corrects them. */
  toleratesFaults?: boolean;
  /** The command reports the faults itself. */
  reportsFaults?: boolean;
}

export function readSettings(world: World, flags: GlobalFlags, needs: Needs = {}): Settings {
  const { env } = world;
  const path = configFile(world);
  const config = readConfigFile(path);
  const name = flags.profile ?? env.WAYBILL_PROFILE ?? config.default_profile ?? 'default';
  const profile = config.profiles[name];
  const faults: Failure[] = [];
  const tolerate = tolerance(faults, needs.toleratesFaults === true);
  // A given server needs nothing of the file.
  const ofFile = tolerance(faults, needs.toleratesFaults === true || flags.server !== undefined);
  for (const { table, failure } of config.faults)
    if (table === null || table === `profiles.${name}`) ofFile(() => fail(failure), null);
  requireProfile(world, { flags, config, name, path, isNewProfile: needs.isNewProfile === true });
  const ofProfile = `${path}, server of profile ${name}`;
  const profileServer = ofFile(() => readServer(profile?.server, ofProfile), null);
  const server =
    readServer(flags.server) ?? tolerate(() => readServer(env.WAYBILL_SERVER, 'WAYBILL_SERVER'), null) ?? profileServer;
  const isOtherServer = profile?.server !== undefined && server !== profileServer;
  const amountOf = (flag: Given, variable: Given, read: (text: string) => number | null) =>
    flag[1] === undefined ? tolerate(() => readOptional(...variable, read), null) : readOptional(...flag, read);
  const timeoutMs =
    flags.timeout === undefined ? defaultTimeoutMs : named('--timeout', () => readSeconds(flags.timeout!));
  return {
    profile: name,
    server,
    // A key is only sent to the server it belongs to.
    apiKey: tolerate(
      () => keyFromEnvironment(env) ?? (isOtherServer ? null : keyOf(profile ?? {}, { home: world.home, path })),
      null,
    ),
    caFile: flags.cacert ?? profile?.cacert ?? null,
    isInsecure: flags.insecure === true,
    isJson: flags.json === true,
    hasEvents: flags.events === 'json',
    hasJsonProgress: flags.progress === 'json',
    isQuiet: flags.quiet === true,
    isVerbose: flags.verbose === true,
    mayAsk: flags.input !== false && !env.WAYBILL_NO_INPUT && world.stdin.isTTY === true,
    isAgreed: flags.yes === true,
    isDryRun: flags.dryRun === true,
    hasColour: hasColour(world, flags),
    timeoutMs,
    patienceMs: timeoutMs * silentTimeouts,
    parallel: amountOf(['--parallel', flags.parallel], ['WAYBILL_PARALLEL', env.WAYBILL_PARALLEL], readParallel),
    chunkBytes: amountOf(['--chunk-size', flags.chunkSize], ['WAYBILL_CHUNK_SIZE', env.WAYBILL_CHUNK_SIZE], readSize),
    bytesPerSecond: readOptional('--limit-rate', flags.limitRate, readSize),
    faults,
    chosen(command, key, given, read) {
      if (given !== undefined) return read(given);
      const fault = config.faults.find(({ table }) => table === command);
      if (fault !== undefined) throw fault.failure;
      const text = config.commands[command]?.[key];
      return text === undefined ? undefined : named(`${path}, ${key} of [${command}]`, () => read(text));
    },
  };
}

/** Runs a reading; its failure is collected and replaced if faults are tolerated. */
function tolerance(faults: Failure[], isTolerant: boolean) {
  return <Value>(read: () => Value, otherwise: Value): Value => {
    try {
      return read();
    } catch (error) {
      if (!isTolerant || !(error instanceof Failure)) throw error;
      faults.push(error);
      return otherwise;
    }
  };
}

function fail(failure: Failure): never {
  throw failure;
}

/** Says in its failure where the value came from. */
export function named<Value>(origin: string | undefined, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (origin === undefined || !(error instanceof Failure)) throw error;
    throw new Failure(error.exitCode, `${origin}: ${error.message}`, error.details);
  }
}

interface Requested {
  flags: GlobalFlags;
  config: ConfigFile;
  name: string;
  path: string;
  isNewProfile: boolean;
}

function requireProfile({ env }: World, { flags, config, name, path, isNewProfile }: Requested): void {
  const profiles = Object.keys(config.profiles);
  const isNamed = (flags.profile ?? env.WAYBILL_PROFILE) !== undefined;
  const hasServer = flags.server !== undefined || env.WAYBILL_SERVER !== undefined;
  if (profiles.includes(name) || profiles.length === 0 || !isNamed || hasServer || isNewProfile) return;
  throw usageFailure(`there is no profile “${name}” in ${path}`, `Known: ${profiles.join(', ')}.`);
}

function readServer(text: string | undefined, origin?: string): string | null {
  return text === undefined ? null : named(origin, () => addressOf(text));
}

export function addressOf(text: string): string {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  const url = parseUrl(full);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '')
    throw usageFailure(`“${text}” is not the address of a server`, 'Write it as https://files.example.com.');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function keyFromEnvironment(env: World['env']): string | null {
  if (env.WAYBILL_API_KEY) return env.WAYBILL_API_KEY.trim();
  return env.WAYBILL_API_KEY_FILE ? readKeyFile(env.WAYBILL_API_KEY_FILE) : null;
}

export function keyOf(
  profile: { api_key?: string; api_key_file?: string },
  { home, path }: { home: string; path: string },
): string | null {
  if (profile.api_key !== undefined) return profile.api_key.trim();
  const { api_key_file: file } = profile;
  return file === undefined ? null : readKeyFile(expandHome(file, home), `, named in ${path}`);
}

function readKeyFile(path: string, origin = ''): string {
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
      throw localFailure(`${path} can be read by others`, 'key.readable_by_others', `Run: chmod 600 ${path}`);
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(exitCodes.notSignedIn, `can’t read the API key in ${path}${origin}`, {
      code: 'key.unreadable',
      hint: 'Run `waybill login` to sign in again.',
    });
  }
}

function readParallel(text: string): number | null {
  if (text === 'auto') return null;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > mostParallel)
    throw usageFailure(`“${text}” is neither auto nor a number from 1 to ${mostParallel}`);
  return number;
}

type Given = [origin: string, text: string | undefined];

function readOptional(origin: string, text: string | undefined, read: (text: string) => number | null): number | null {
  return text === undefined ? null : named(origin, () => read(text));
}

function hasColour({ env, stderr }: World, { color }: GlobalFlags): boolean {
  return stderr.isTTY === true && color !== false && !env.NO_COLOR && env.TERM !== 'dumb';
}
