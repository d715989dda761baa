// OpenLDAP for tests: slapd on loopback with its own folder, without and with TLS.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '../certificate.ts';
import { type Child, freePorts, startChild, untilReady } from './child.ts';
import type { Requirement } from './packages.ts';

const slapdPath = '/usr/sbin/slapd';

export const slapdRequirement: Requirement = {
  name: 'slapd',
  debianPackages: ['slapd', 'ldap-utils'],
  isMet: () => existsSync(slapdPath) && existsSync('/usr/bin/ldapmodify'),
};

export const slapdBase = 'dc=example,dc=com';
export const slapdAdmin = `cn=admin,${slapdBase}`;
export const slapdPassword = 'directory secret (with) stars*';

export interface Slapd {
  /** `ldap://`, only for loopback; also takes StartTLS. */
  url: string;
  tlsUrl: string;
  port: number;
  certificatePem: string;
  /** Changes entries, as LDIF with `changetype`. */
  change(ldif: string): void;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Ends the server and removes its folder. */
  remove(): Promise<void>;
}

/** `entries` is LDIF without the base, loaded offline. */
export async function startSlapd(entries: string): Promise<Slapd> {
  const [port, tlsPort] = (await freePorts(2)) as [number, number];
  const folder = mkdtempSync(join(tmpdir(), 'waybill-slapd-'));
  const { keyPem, certificatePem } = makeCertificate();
  writeFileSync(join(folder, 'key.pem'), keyPem, { mode: 0o600 });
  writeFileSync(join(folder, 'certificate.pem'), certificatePem);
  mkdirSync(join(folder, 'data'));
  const config = join(folder, 'slapd.conf');
  writeFileSync(config, configuration(folder));
  const base = `dn: ${slapdBase}\nobjectClass: dcObject\nobjectClass: organization\no: Example\ndc: example\n\n`;
  writeFileSync(join(folder, 'entries.ldif'), base + entries);
  execFileSync('/usr/sbin/slapadd', ['-q', '-f', config, '-l', join(folder, 'entries.ldif')], { stdio: 'pipe' });
  const url = `ldap://127.0.0.1:${port}`;
  const tlsUrl = `ldaps://localhost:${tlsPort}`;
  let child: Child;
  const start = async () => {
    child = await startChild({
      name: 'slapd',
      command: slapdPath,
      args: ['-d', '0', '-f', config, '-h', `${url}/ ldaps://127.0.0.1:${tlsPort}/`],
      outputPath: join(folder, 'slapd.log'),
    });
    await untilReady([child], () => connection(port), 20_000);
  };
  await start();
  return {
    url,
    tlsUrl,
    port,
    certificatePem,
    change(ldif) {
      const args = ['-x', '-H', url, '-D', slapdAdmin, '-w', slapdPassword];
      execFileSync('/usr/bin/ldapmodify', args, { input: ldif, stdio: 'pipe' });
    },
    start,
    stop: () => child.stop(),
    async remove() {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(folder: string): string {
  return `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/nis.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload ppolicy
pidfile ${folder}/slapd.pid
TLSCertificateFile ${folder}/certificate.pem
TLSCertificateKeyFile ${folder}/key.pem
sizelimit 500
database mdb
suffix "${slapdBase}"
rootdn "${slapdAdmin}"
rootpw ${JSON.stringify(slapdPassword)}
directory ${folder}/data
maxsize 268435456
dbnosync
index objectClass,uid,mail,member,entryUUID eq
overlay ppolicy
access to attrs=userPassword by anonymous auth by * none
access to * by users read by * none
`;
}

function connection(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}

export interface SlapdPerson {
  uid: string;
  mail?: string;
  name?: string;
  password?: string;
  more?: string;
}

export function personDn(uid: string): string {
  return `uid=${uid.replace(/[,+"\\<>;=#]/g, (char) => `\\${char}`)},ou=people,${slapdBase}`;
}

/** LDIF of people and groups; a group names the DNs of its members. */
export function slapdEntries(
  people: readonly SlapdPerson[],
  groups: Readonly<Record<string, readonly string[]>>,
): string {
  const unit = (name: string) => `dn: ou=${name},${slapdBase}\nobjectClass: organizationalUnit\nou: ${name}\n\n`;
  return [
    unit('people'),
    unit('groups'),
    ...people.map(slapdPerson),
    ...Object.entries(groups).map(
      ([name, members]) =>
        `dn: ${groupDn(name)}\nobjectClass: groupOfNames\ncn: ${name}\n${members.map((dn) => `member:: ${base64(dn)}\n`).join('')}\n`,
    ),
  ].join('');
}

export function groupDn(name: string): string {
  return `cn=${name},ou=groups,${slapdBase}`;
}

export function slapdPerson({ uid, mail, name = uid, password, more = '' }: SlapdPerson): string {
  return [
    `dn:: ${base64(personDn(uid))}`,
    'objectClass: inetOrgPerson',
    `uid:: ${base64(uid)}`,
    `cn:: ${base64(name)}`,
    `sn:: ${base64(name)}`,
    ...(mail === undefined ? [] : [`mail: ${mail}`]),
    ...(password === undefined ? [] : [`userPassword:: ${base64(password)}`]),
    ...(more === '' ? [] : [more]),
    '\n',
  ].join('\n');
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
