// Samba as Active Directory for tests: provisioned in a folder of its own, on a loopback address of its own, because its
// ports cannot be chosen.
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeCertificate } from '../certificate.ts';
import { startChild, untilReady } from './child.ts';
import type { Requirement } from './packages.ts';

export const sambaRequirement: Requirement = {
  name: 'Samba',
  debianPackages: ['samba-ad-dc', 'samba-ad-provision', 'samba-dsdb-modules', 'samba-vfs-modules', 'winbind'],
  isMet: () => existsSync('/usr/sbin/samba') && existsSync('/usr/share/samba/setup/provision.ldif'),
};

export const sambaBase = 'DC=example,DC=test';
export const sambaAdmin = `CN=Administrator,CN=Users,${sambaBase}`;
export const sambaPassword = 'Directory (secret) with stars*1';

export interface Samba {
  /** `ldap://`, on which it refuses passwords. */
  plainUrl: string;
  startTlsUrl: string;
  tlsUrl: string;
  certificatePem: string;
  stop(): Promise<void>;
}

export async function startSamba(): Promise<Samba> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-samba-'));
  const host = `127.${randomInt(2, 250)}.${randomInt(2, 250)}.${randomInt(2, 250)}`;
  const { keyPem, certificatePem } = makeCertificate(undefined, host);
  writeFileSync(join(folder, 'key.pem'), keyPem, { mode: 0o600 });
  writeFileSync(join(folder, 'certificate.pem'), certificatePem);
  await promisify(execFile)('/usr/bin/samba-tool', [
    ...['domain', 'provision', `--targetdir=${folder}`, '--realm=EXAMPLE.TEST', '--domain=EXAMPLE'],
    ...[
      `--adminpass=${sambaPassword}`,
      '--server-role=dc',
      '--dns-backend=NONE',
      '--host-name=dc1',
      '--host-ip=127.0.0.1',
    ],
    // Folders in memory have no extended attributes.
    '--option=vfs objects=dfs_samba4 acl_xattr xattr_tdb',
  ]);
  const settings = {
    'server services': 'ldap',
    interfaces: `${host}/8`,
    'bind interfaces only': 'yes',
    'log file': join(folder, 'log'),
    'tls keyfile': join(folder, 'key.pem'),
    'tls certfile': join(folder, 'certificate.pem'),
    'tls cafile': '',
    'pid directory': join(folder, 'run'),
    'lock directory': join(folder, 'lock'),
    'cache directory': join(folder, 'cache'),
    'ncalrpc dir': join(folder, 'ncalrpc'),
  };
  mkdirSync(join(folder, 'run'));
  const child = await startChild({
    name: 'samba',
    command: '/usr/sbin/samba',
    args: [
      ...['--foreground', '--no-process-group', '--model=single', `--configfile=${join(folder, 'etc/smb.conf')}`],
      ...Object.entries(settings).map(([name, value]) => `--option=${name}=${value}`),
    ],
    outputPath: join(folder, 'output'),
  });
  await untilReady([child], () => connection(host), 120_000);
  return {
    plainUrl: `ldap://${host}`,
    startTlsUrl: `ldap+starttls://${host}`,
    tlsUrl: `ldaps://${host}`,
    certificatePem,
    async stop() {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function connection(host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(636, host, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
