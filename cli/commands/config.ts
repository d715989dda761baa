// `config`: settings in the file, one by one.
import { resolve } from 'node:path';
import { readAudience } from '../audiences.ts';
import { type ConfigFile, commandKeys, readConfigFile, writeConfigFile } from '../config-file.ts';
import { readCertificates } from '../connection.ts';
import { readExpiry } from '../durations.ts';
import { exitCodes, Failure, usageFailure } from '../failures.ts';
import { configFile, expandHome } from '../folders.ts';
import type { Session } from '../session.ts';
import { addressOf, keyOf, named } from '../settings.ts';
import { reportCopy } from './account.ts';

const profileSettings = ['server', 'api_key_file', 'cacert'] as const;
type ProfileSetting = (typeof profileSettings)[number];

export function configPath({ world, output }: Session): void {
  output.document({ path: configFile(world) });
  output.event('config', { path: configFile(world) });
  output.essence(configFile(world));
}

export function configList({ world, settings, output }: Session): void {
  const config = readConfigFile(configFile(world));
  const shown = {
    profile: settings.profile,
    server: settings.server,
    signed_in: settings.apiKey !== null,
    profiles: Object.keys(config.profiles),
    defaults: config.commands,
  };
  output.document(shown);
  output.event('config', shown);
  output.row(['profile', shown.profile]);
  output.row(['server', shown.server ?? '-']);
  output.row(['signed in', shown.signed_in ? 'yes' : 'no']);
  output.row(['profiles', shown.profiles.join(', ') || '-']);
  for (const [command, entries] of Object.entries(shown.defaults))
    for (const [name, value] of Object.entries(entries)) output.row([`${command}.${name}`, value]);
}

export function configGet({ world, settings, output }: Session, name: string): void {
  const config = readConfigFile(configFile(world));
  const value = valueAt(config, settings.profile, name);
  if (value === undefined) throw new Failure(exitCodes.notFound, `${name} is not set`, { code: 'config.not_set' });
  output.document({ [name]: value });
  output.event('config', { name, value });
  output.essence(value);
}

function valueAt(config: ConfigFile, profile: string, name: string): string | undefined {
  const place = placeOf(name);
  if (place.is === 'default') return config.default_profile;
  if (place.is === 'command') return config.commands[place.command]?.[place.key];
  return config.profiles[profile]?.[place.key];
}

/** Refuses a value that commands would refuse later. */
export function configSet(session: Session, name: string, given: string): void {
  const { world, settings, output } = session;
  const path = configFile(world);
  const config = readConfigFile(path);
  const place = placeOf(name);
  const value = named(name, () => validValue(session, config, place, given));
  if (place.is === 'default') config.default_profile = value;
  else if (place.is === 'command')
    config.commands[place.command] = { ...config.commands[place.command], [place.key]: value };
  else config.profiles[settings.profile] = { ...config.profiles[settings.profile], [place.key]: value };
  output.document({ [name]: value });
  output.event('config', { name, value });
  if (settings.isDryRun) output.data(`${name} would be ${value}. Nothing was changed.`);
  else {
    reportCopy(session, writeConfigFile(path, config));
    output.data(`${name} is ${value} now`);
  }
}

function validValue({ world }: Session, config: ConfigFile, place: Place, given: string): string {
  if (place.is === 'default') {
    const profiles = Object.keys(config.profiles);
    if (profiles.includes(given)) return given;
    throw usageFailure(
      `there is no profile “${given}”`,
      profiles.length === 0 ? 'Create one with `waybill -p NAME login`.' : `Known: ${profiles.join(', ')}.`,
    );
  }
  if (place.key === 'expires') readExpiry(given, world.now());
  if (place.key === 'who') readAudience(given);
  if (place.key === 'server') return addressOf(given);
  if (place.key !== 'api_key_file' && place.key !== 'cacert') return given;
  // Relative paths would depend on the folder of the next command.
  const file = resolve(world.cwd, expandHome(given, world.home));
  if (place.key === 'cacert') readCertificates(file);
  else if (keyOf({ api_key_file: file }, { home: world.home, path: configFile(world) }) === '')
    throw usageFailure(`${file} is empty`);
  return given.startsWith('~/') ? given : file;
}

type Place =
  | { is: 'default' }
  | { is: 'command'; command: string; key: string }
  | { is: 'profile'; key: ProfileSetting };

function placeOf(name: string): Place {
  if (name === 'default_profile') return { is: 'default' };
  const [command = '', key = ''] = name.split('.');
  if (commandKeys[command]?.includes(key) === true) return { is: 'command', command, key };
  const setting = profileSettings.find((candidate) => candidate === name);
  if (setting !== undefined) return { is: 'profile', key: setting };
  const ofCommands = Object.entries(commandKeys).flatMap(([table, keys]) => keys.map((one) => `${table}.${one}`));
  throw usageFailure(
    `there is no setting “${name}”`,
    `Known: ${['default_profile', ...profileSettings, ...ofCommands].join(', ')}.`,
  );
}
