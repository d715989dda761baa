// `login`, `logout`, `whoami`.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createClient } from '#contract/client.ts';
import { ask, askHidden, readSecret } from '../asking.ts';
import { readConfigFile, writeConfigFile } from '../config-file.ts';
import { exitCodes, Failure, usageFailure } from '../failures.ts';
import { configFile } from '../folders.ts';
import { pairedKey } from '../pairing.ts';
import { writePrivate } from '../private-file.ts';
import { readAccount, type Session } from '../session.ts';
import { addressOf } from '../settings.ts';
import { sizeText } from '../sizes.ts';

export interface LoginFlags {
  apiKeyStdin?: boolean;
  apiKeyPrompt?: boolean;
}

export async function login(session: Session, given: string | undefined, flags: LoginFlags): Promise<void> {
  const { world, settings, output } = session;
  const server = addressOf(given ?? settings.server ?? (await ask(session, 'Address of the server: ')));
  const apiKey = await keyFor(session, server, flags);
  if (apiKey === '') throw usageFailure('the API key is empty');
  const client = createClient({
    baseUrl: server,
    fetch: session.connection.fetch,
    headers: () => ({ authorization: `Bearer ${apiKey}` }),
  });
  const { user } = await client.getAccount();
  if (typeof user?.email !== 'string')
    throw new Failure(exitCodes.failed, `${server} answers, but not as a server of this API`, {
      code: 'server.unknown',
    });
  const path = configFile(world);
  const config = readConfigFile(path);
  const keyPath = join(dirname(path), `${settings.profile}.key`);
  writePrivate(keyPath, `${apiKey}\n`);
  const { api_key: _, ...profile } = config.profiles[settings.profile] ?? {};
  config.profiles[settings.profile] = { ...profile, server, api_key_file: keyPath };
  config.default_profile ??= settings.profile;
  reportCopy(session, writeConfigFile(path, config));
  output.document({ server, email: user.email, profile: settings.profile });
  output.event('signed_in', { server, email: user.email, profile: settings.profile });
  output.data(`Signed in to ${server} as ${user.email} (profile ${settings.profile}).`);
}

/** Signs in through the browser where the server supports it, else asks for an API key. */
async function keyFor(session: Session, server: string, flags: LoginFlags): Promise<string> {
  if (flags.apiKeyStdin === true) return readSecret(session.world);
  if (!session.settings.mayAsk)
    throw usageFailure('signing in needs a terminal', 'Give an API key on stdin with --api-key-stdin.');
  if (flags.apiKeyPrompt !== true) {
    const client = createClient({ baseUrl: server, fetch: session.connection.fetch });
    const paired = await pairedKey(session, client);
    if (paired !== null) return paired;
  }
  session.output.say(`Make an API key at ${server}/app/account#api-keys and paste it here. It is not shown.`);
  return (await askHidden(session, 'API key: ')).trim();
}

/** Of a file with wrong settings, which were not written again. */
export function reportCopy({ output }: Session, copy: string | null): void {
  if (copy !== null) output.warn(`waybill: wrong settings were removed; the file as it was is ${copy}`);
}

export function logout(session: Session): void {
  const { world, settings, output } = session;
  const path = configFile(world);
  const config = readConfigFile(path);
  const profile = config.profiles[settings.profile];
  rmSync(join(dirname(path), `${settings.profile}.key`), { force: true });
  if (profile !== undefined) {
    delete config.profiles[settings.profile];
    if (config.default_profile === settings.profile) delete config.default_profile;
    reportCopy(session, writeConfigFile(path, config));
  }
  output.document({ signed_out: settings.profile });
  output.data(
    profile === undefined ? 'You were not signed in.' : `Signed out of ${profile.server ?? settings.profile}.`,
  );
  if (profile !== undefined)
    output.say('The API key itself still works; delete it in your account if it is no longer needed.');
}

export async function whoami(session: Session): Promise<void> {
  const { output } = session;
  const { user } = await readAccount(session);
  output.document({ user });
  output.event('account', { ...user });
  if (session.settings.isQuiet) output.essence(user.email);
  output.data(`${user.name === '' ? user.email : `${user.name} <${user.email}>`}`);
  output.data(`  Server     ${session.server()}`);
  output.data(`  Group      ${user.group}`);
  output.data(`  May        ${permissions(user).join(', ') || 'nothing'}`);
  output.data(
    `  Message    up to ${sizeText(user.message_max_size * 1024 * 1024)}, at most ${user.message_max_expiration} days`,
  );
  output.data(`  Link       at most ${user.filelink_max_expiration} days`);
  if (user.permitted_extensions !== '') output.data(`  Files      only ${user.permitted_extensions}`);
  if (user.blocked_extensions !== '') output.data(`  Files      not ${user.blocked_extensions}`);
  if (user.api_key_expires_at) output.data(`  API key    until ${String(user.api_key_expires_at).slice(0, 10)}`);
}

function permissions(user: {
  can_use_messages: boolean;
  can_use_filelinks: boolean;
  can_use_file_requests: boolean;
}): string[] {
  return [
    ...(user.can_use_messages ? ['send messages'] : []),
    ...(user.can_use_filelinks ? ['make links'] : []),
    ...(user.can_use_file_requests ? ['ask for files'] : []),
  ];
}
