// Glewlwyd, an OpenID Connect server, on loopback with its own folder, one client and people with groups.
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { freePorts, startChild, untilReady } from './child.ts';
import type { Requirement } from './packages.ts';

const program = '/usr/bin/glewlwyd';
const tables = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3';

export const glewlwydRequirement: Requirement = {
  name: 'Glewlwyd',
  debianPackages: ['glewlwyd', 'dbconfig-no-thanks'],
  isMet: () => existsSync(program) && existsSync(tables),
};

export interface Glewlwyd {
  issuer: string;
  /** Signs in at the page to which a browser was sent. Returns the address to which it sends the browser back. */
  signIn(location: string, user: string): Promise<string>;
  stop(): Promise<void>;
}

interface Client {
  id: string;
  secret: string;
  callbackUrl: string;
}

interface Person {
  name: string;
  groups: readonly string[];
}

/** The password of each person is `NAME secret`. */
export async function startGlewlwyd(client: Client, people: readonly Person[]): Promise<Glewlwyd> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-glewlwyd-'));
  const [port] = (await freePorts(1)) as [number];
  const origin = `http://127.0.0.1:${port}`;
  const database = new DatabaseSync(join(folder, 'data'));
  database.exec(readFileSync(tables, 'utf8'));
  database.close();
  writeFileSync(join(folder, 'glewlwyd.conf'), configuration(folder, port));
  const child = await startChild({
    name: 'glewlwyd',
    command: program,
    args: ['-c', join(folder, 'glewlwyd.conf')],
    outputPath: join(folder, 'glewlwyd.log'),
  });
  const stop = async () => {
    await child.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilReady([child], async () => void (await fetch(`${origin}/api/`)), 20_000);
    await setUp(origin, client, people);
  } catch (error) {
    await stop();
    throw error;
  }
  return { issuer: `${origin}/api/oidc`, signIn: (location, user) => signIn(origin, client.id, location, user), stop };
}

/** Certificates are checked for presence even without TLS. */
function configuration(folder: string, port: number): string {
  const text = {
    bind_address: '127.0.0.1',
    external_url: `http://127.0.0.1:${port}`,
    login_url: 'login.html',
    api_prefix: 'api',
    log_mode: 'console',
    log_level: 'WARNING',
    session_key: 'session',
    admin_scope: 'g_admin',
    profile_scope: 'g_profile',
    user_module_path: '/usr/lib/glewlwyd/user',
    client_module_path: '/usr/lib/glewlwyd/client',
    user_auth_scheme_module_path: '/usr/lib/glewlwyd/scheme',
    plugin_module_path: '/usr/lib/glewlwyd/plugin',
    secure_connection_key_file: tables,
    secure_connection_pem_file: tables,
    secure_connection_ca_file: tables,
    hash_algorithm: 'SHA512',
  };
  return [
    `port=${port}`,
    ...Object.entries(text).map(([name, value]) => `${name}="${value}"`),
    'use_secure_connection=false',
    'cookie_secure=0',
    'session_expiration=3600',
    `database = { type = "sqlite3"; path = "${join(folder, 'data')}"; };`,
    '',
  ].join('\n');
}

async function call(origin: string, [method, path]: [string, string], body?: object, cookie = ''): Promise<Response> {
  const reply = await fetch(path.startsWith('http') ? path : `${origin}/api/${path}`, {
    method,
    redirect: 'manual',
    headers: { 'content-type': 'application/json', cookie },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (reply.status >= 400) throw new Error(`Glewlwyd: ${method} ${path}: ${reply.status} ${await reply.text()}`);
  return reply;
}

async function cookieOf(origin: string, username: string, password: string): Promise<string> {
  const reply = await call(origin, ['POST', 'auth/'], { username, password });
  return reply.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}

async function setUp(origin: string, { id, secret, callbackUrl }: Client, people: readonly Person[]): Promise<void> {
  const cookie = await cookieOf(origin, 'admin', 'password');
  const send = (method: string, path: string, body?: object) => call(origin, [method, path], body, cookie);
  const [users] = (await (await send('GET', 'mod/user/')).json()) as [{ parameters: Record<string, object> }];
  const groups = { groups: { multiple: true, read: true, write: true } };
  Object.assign(users.parameters['data-format']!, groups);
  await send('PUT', 'mod/user/database', users);
  await send('PUT', 'mod/user/database/reset');
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const parameters = {
    ...{ iss: `${origin}/api/oidc`, 'jwt-type': 'rsa', 'jwt-key-size': '256' },
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: publicKey.export({ type: 'spki', format: 'pem' }),
    ...{ 'access-token-duration': 3600, 'refresh-token-duration': 3600, 'code-duration': 600 },
    ...{ 'auth-type-code-enabled': true, 'pkce-allowed': true, 'subject-type': 'public' },
    claims: [{ name: 'groups', 'user-property': 'groups', type: 'string', mandatory: true }],
    ...{ 'email-claim': 'mandatory', 'name-claim': 'mandatory', 'scope-claim': 'no' },
  };
  await send('POST', 'mod/plugin/', { module: 'oidc', name: 'oidc', display_name: 'oidc', parameters });
  await send('POST', 'client/?source=database', {
    ...{ client_id: id, name: id, confidential: true, client_secret: secret, password: secret, enabled: true },
    ...{ redirect_uri: [callbackUrl], authorization_type: ['code'], scope: ['openid'] },
    token_endpoint_auth_method: ['client_secret_basic', 'client_secret_post'],
  });
  for (const { name, groups: named } of people)
    await send('POST', 'user/?source=database', {
      ...{ username: name, name, email: `${name}@example.com`, password: `${name} secret` },
      ...{ groups: named, scope: ['openid', 'g_profile'], enabled: true },
    });
}

/** As its sign-in page: password, consent, and back to the request. */
async function signIn(origin: string, clientId: string, location: string, user: string): Promise<string> {
  const asked = await call(origin, ['GET', location]);
  const request = new URL(asked.headers.get('location')!).searchParams.get('callback_url')!;
  const cookie = await cookieOf(origin, user, `${user} secret`);
  await call(origin, ['PUT', `auth/grant/${clientId}`], { scope: 'openid' }, cookie);
  const back = await call(origin, ['GET', `${request}&g_continue`], undefined, cookie);
  return back.headers.get('location')!;
}
