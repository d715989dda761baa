// SimpleSAMLphp as identity provider: PHP's own web server on loopback, with a folder of its own.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOwnKey, type OwnKey } from '#server/lib/saml/own-certificate.ts';
import { Browser } from '../browser.ts';
import { freePorts, startChild, untilReady } from './child.ts';
import type { Requirement } from './packages.ts';

const root = '/usr/share/simplesamlphp/www';

export const simpleSamlRequirement: Requirement = {
  name: 'SimpleSAMLphp',
  debianPackages: ['simplesamlphp', 'php-cli', 'php-xml', 'php-mbstring'],
  isMet: () => existsSync(root) && existsSync('/usr/bin/php') && existsSync('/usr/share/php8.2-xml'),
};

export interface SimpleSaml {
  metadataUrl: string;
  /** Tells it about a service provider. With a certificate it encrypts assertions. */
  register(provider: { entityId: string; callbackUrl: string; certificate: string | null }): void;
  /** Several certificates are in the metadata during a roll-over; the first key signs. */
  setKeys(keys: readonly OwnKey[]): void;
  /** Signs in at the page to which a browser was sent, and returns the SAMLResponse that it would post. */
  signIn(location: string, user: string): Promise<string>;
  stop(): Promise<void>;
}

export interface SimpleSamlUser {
  name: string;
  mail: string;
  groups: readonly string[];
}

/** The password of each person is `NAME secret`. */
export async function startSimpleSaml(users: readonly SimpleSamlUser[]): Promise<SimpleSaml> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-saml-'));
  for (const name of ['cert', 'metadata', 'sessions', 'log', 'tmp']) mkdirSync(join(folder, name));
  const [port] = (await freePorts(1)) as [number];
  const origin = `http://127.0.0.1:${port}`;
  const php = (name: string, text: string) => writeFileSync(join(folder, name), `<?php\n${text}\n`);
  php('config.php', configuration(folder, origin));
  php('authsources.php', authSources(users));
  php('metadata/saml20-sp-remote.php', '');
  const setKeys: SimpleSaml['setKeys'] = (keys) => {
    const [key, other] = keys;
    writeKey(folder, 'idp', key!);
    if (other !== undefined) writeKey(folder, 'next', other);
    const next = other === undefined ? '' : "'new_privatekey' => 'next.pem', 'new_certificate' => 'next.crt',";
    php('metadata/saml20-idp-hosted.php', hosted(next));
  };
  setKeys([await createOwnKey('first')]);
  const child = await startChild({
    name: 'simplesamlphp',
    command: '/usr/bin/php',
    args: [
      '-d',
      'opcache.enable=0',
      '-d',
      `session.save_path=${join(folder, 'sessions')}`,
      '-S',
      `127.0.0.1:${port}`,
      '-t',
      root,
    ],
    outputPath: join(folder, 'php.log'),
    env: { ...process.env, SIMPLESAMLPHP_CONFIG_DIR: folder },
  });
  const metadataUrl = `${origin}/saml2/idp/metadata.php`;
  await untilReady(
    [child],
    async () => {
      const reply = await fetch(metadataUrl);
      if (!reply.ok) throw new Error(`${reply.status} ${(await reply.text()).slice(0, 2000)}`);
    },
    60_000,
  );
  return {
    metadataUrl,
    setKeys,
    register({ entityId, callbackUrl, certificate }) {
      const encrypted = certificate === null ? '' : `'assertion.encryption' => true, 'certData' => '${certificate}',`;
      php(
        'metadata/saml20-sp-remote.php',
        `$metadata['${entityId}'] = ['AssertionConsumerService' => '${callbackUrl}', 'NameIDFormat' => '${persistent}', ${encrypted}];`,
      );
    },
    signIn: (location, user) => signIn(origin, location, user),
    async stop() {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

function writeKey(folder: string, name: string, { keyPem, certificate }: OwnKey): void {
  writeFileSync(join(folder, 'cert', `${name}.pem`), keyPem);
  const lines = certificate.match(/.{1,64}/g)!.join('\n');
  writeFileSync(
    join(folder, 'cert', `${name}.crt`),
    `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  );
}

function configuration(folder: string, origin: string): string {
  return `$config = [
  'baseurlpath' => '${origin}/', 'certdir' => '${folder}/cert/', 'loggingdir' => '${folder}/log/',
  'datadir' => '${folder}/', 'tempdir' => '${folder}/tmp', 'metadatadir' => '${folder}/metadata',
  'secretsalt' => 'salt of the test', 'auth.adminpassword' => 'only for tests', 'timezone' => 'UTC',
  'technicalcontact_name' => 'Test', 'technicalcontact_email' => 'na@example.org',
  'logging.handler' => 'file', 'logging.level' => 3, 'enable.saml20-idp' => true,
  'module.enable' => ['exampleauth' => true, 'core' => true, 'saml' => true],
  'store.type' => 'phpsession', 'session.cookie.secure' => false, 'session.cookie.samesite' => null,
  'language.default' => 'en', 'language.available' => ['en'],
  'metadata.sources' => [['type' => 'flatfile', 'directory' => '${folder}/metadata']],
];`;
}

function authSources(users: readonly SimpleSamlUser[]): string {
  const lines = users.map(({ name, mail, groups }) => {
    const list = groups.map((group) => `'${group}'`).join(', ');
    return `'${name}:${name} secret' => ['uid' => ['${name}'], 'mail' => ['${mail}'], 'displayName' => ['${name}'], 'groups' => [${list}]],`;
  });
  return `$config = ['people' => ['exampleauth:UserPass', ${lines.join('\n')}]];`;
}

function hosted(next: string): string {
  return `$metadata['urn:test:idp'] = ['host' => '__DEFAULT__', 'privatekey' => 'idp.pem', 'certificate' => 'idp.crt', ${next}
  'auth' => 'people', 'signature.algorithm' => 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'authproc' => [3 => ['class' => 'saml:PersistentNameID', 'attribute' => 'uid']]];`;
}

async function signIn(origin: string, location: string, user: string): Promise<string> {
  const browser = new Browser(origin);
  const inside = (to: string) => to.replace(origin, '');
  let reply = await browser.get(inside(location));
  while (reply.location !== null) reply = await browser.get(inside(reply.location));
  const AuthState = decoded(Browser.hidden(reply, 'AuthState'));
  reply = await browser.submitBare('/module.php/core/loginuserpass.php', {
    username: user,
    password: `${user} secret`,
    AuthState,
  });
  while (reply.location !== null) reply = await browser.get(inside(reply.location));
  return decoded(Browser.hidden(reply, 'SAMLResponse'));
}

function decoded(text: string): string {
  return text.replaceAll('&amp;', '&').replaceAll('&#x3D;', '=').replaceAll('&#x2B;', '+').replaceAll('&quot;', '"');
}
