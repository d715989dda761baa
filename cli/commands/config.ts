// `config`: settings in the file, one by one.
import { readConfigFile, writeConfigFile } from '../config-file.ts';
import { exitCodes, Failure, usageFailure } from '../failures.ts';
import { configFile } from '../folders.ts';
import type { Session } from '../session.ts';

const profileSettings = ['server', 'api_key_file', 'cacert'] as const;

export function configPath({ world, output }: Session): void {
  output.document({ path: configFile(world) });
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
  output.row(['profile', shown.profile]);
  output.row(['server', shown.server ?? '-']);
  output.row(['signed in', shown.signed_in ? 'yes' : 'no']);
  output.row(['profiles', shown.profiles.join(', ') || '-']);
  for (const [command, entries] of Object.entries(shown.defaults))
    for (const [name, value] of Object.entries(entries)) output.row([`${command}.${name}`, String(value)]);
}

export function configGet({ world, settings, output }: Session, name: string): void {
  const config = readConfigFile(configFile(world));
  const value = name === 'default_profile' ? config.default_profile : valueAt(config, settings.profile, name);
  if (value === undefined) throw new Failure(exitCodes.notFound, `${name} is not set`, { code: 'config.not_set' });
  output.document({ [name]: value });
  output.essence(String(value));
}

function valueAt(config: ReturnType<typeof readConfigFile>, profile: string, name: string) {
  const [command, key] = name.split('.');
  if (key !== undefined) return config.commands[command!]?.[key];
  return config.profiles[profile]?.[known(name)];
}

export function configSet({ world, settings, output }: Session, name: string, value: string): void {
  const path = configFile(world);
  const config = readConfigFile(path);
  const [command, key] = name.split('.');
  if (name === 'default_profile') config.default_profile = value;
  else if (key !== undefined && ['send', 'link', 'request'].includes(command!))
    config.commands[command!] = { ...config.commands[command!], [key]: value };
  else config.profiles[settings.profile] = { ...config.profiles[settings.profile], [known(name)]: value };
  writeConfigFile(path, config);
  output.data(`${name} is ${value} now`);
}

function known(name: string): (typeof profileSettings)[number] {
  const found = profileSettings.find((candidate) => candidate === name);
  if (found === undefined)
    throw usageFailure(
      `there is no setting “${name}”`,
      `Known: default_profile, ${profileSettings.join(', ')}, send.expires, send.who, link.expires, request.expires.`,
    );
  return found;
}
