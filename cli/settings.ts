// Settings in order of precedence: flags, environment, profile, defaults.
import { readFileSync, statSync } from 'node:fs';
import { readConfigFile } from './config-file.ts';
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
  /** From the configuration file. */
  commandDefaults: Record<string, Record<string, string | number | boolean>>;
}

const defaultTimeoutMs = 60_000;
const silentTimeouts = 5;
const mostParallel = 8;

/** `isNewProfile`: the command creates the profile. */
export function readSettings(world: World, flags: GlobalFlags, isNewProfile = false): Settings {
  const { env } = world;
  const path = configFile(world);
  const config = readConfigFile(path);
  const name = flags.profile ?? env.WAYBILL_PROFILE ?? config.default_profile ?? 'default';
  const profile = config.profiles[name];
  const isNamed = (flags.profile ?? env.WAYBILL_PROFILE) !== undefined;
  if (profile === undefined && isNamed && flags.server === undefined && !isNewProfile)
    if (Object.keys(config.profiles).length > 0 && env.WAYBILL_SERVER === undefined)
      throw usageFailure(
        `there is no profile “${name}” in ${path}`,
        `Known: ${Object.keys(config.profiles).join(', ')}.`,
      );
  const server = flags.server ?? env.WAYBILL_SERVER ?? profile?.server ?? null;
  const isOtherServer =
    server !== null && profile?.server !== undefined && addressOf(server) !== addressOf(profile.server);
  const timeoutMs = flags.timeout === undefined ? defaultTimeoutMs : readSeconds(flags.timeout);
  if (flags.events !== undefined && flags.events !== 'json') throw usageFailure('--events knows only json');
  return {
    profile: name,
    server: server === null ? null : addressOf(server),
    // A key is only sent to the server it belongs to.
    apiKey: keyFromEnvironment(env) ?? (isOtherServer ? null : keyOf(profile ?? {}, world.home)),
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
    parallel: readParallel(flags.parallel ?? env.WAYBILL_PARALLEL),
    chunkBytes: readOptional(flags.chunkSize ?? env.WAYBILL_CHUNK_SIZE),
    bytesPerSecond: readOptional(flags.limitRate),
    commandDefaults: config.commands,
  };
}

export function addressOf(text: string): string {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  const url = URL.parse(full);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '')
    throw usageFailure(`“${text}” is not the address of a server`, 'Write it as https://files.example.com.');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function keyFromEnvironment(env: World['env']): string | null {
  if (env.WAYBILL_API_KEY) return env.WAYBILL_API_KEY.trim();
  return env.WAYBILL_API_KEY_FILE ? readKeyFile(env.WAYBILL_API_KEY_FILE) : null;
}

function keyOf(profile: { api_key?: string; api_key_file?: string }, home: string): string | null {
  if (profile.api_key !== undefined) return profile.api_key.trim();
  return profile.api_key_file === undefined ? null : readKeyFile(expandHome(profile.api_key_file, home));
}

function readKeyFile(path: string): string {
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
      throw localFailure(`${path} can be read by others`, 'key.readable_by_others', `Run: chmod 600 ${path}`);
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(exitCodes.notSignedIn, `can’t read the API key in ${path}`, {
      code: 'key.unreadable',
      hint: 'Run `waybill login` to sign in again.',
    });
  }
}

function readParallel(text: string | undefined): number | null {
  if (text === undefined || text === 'auto') return null;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > mostParallel)
    throw usageFailure(`--parallel is auto or a number from 1 to ${mostParallel}`);
  return number;
}

function readOptional(text: string | undefined): number | null {
  return text === undefined ? null : readSize(text);
}

function hasColour({ env, stderr }: World, { color }: GlobalFlags): boolean {
  return stderr.isTTY === true && color !== false && !env.NO_COLOR && env.TERM !== 'dumb';
}
