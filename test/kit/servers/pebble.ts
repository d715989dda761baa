// Pebble, an authority for tests of ACME clients: it verifies signatures, rejects a fifth of the nonces, and checks names
// at the ports it is given. Its name server resolves every name to 127.0.0.1.
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '../certificate.ts';
import { freePorts, startChild, untilReady } from './child.ts';
import type { Requirement } from './packages.ts';

export const pebbleRequirement: Requirement = {
  name: 'Pebble',
  debianPackages: ['pebble'],
  isMet: () => existsSync('/usr/bin/pebble'),
};

export interface Authority {
  directory: string;
  httpPort: number;
  findRoot(): Promise<string>;
  stop(): Promise<void>;
}

/** `trust` gets the certificate of the authority's web server before the first request. */
export async function startPebble(
  checked: { httpPort: number; tlsPort: number },
  trust: (certificate: string) => void,
): Promise<Authority> {
  const folder = await mkdtemp(join(tmpdir(), 'waybill-pebble-'));
  const [port, managementPort, dnsPort, dnsManagementPort] = (await freePorts(4)) as [number, number, number, number];
  const { keyPem, certificatePem } = makeCertificate();
  const path = (name: string) => join(folder, name);
  await writeFile(path('cert.pem'), certificatePem);
  await writeFile(path('key.pem'), keyPem);
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: path('cert.pem'),
    privateKey: path('key.pem'),
    ocspResponderURL: '',
    ...checked,
  };
  await writeFile(path('config.json'), JSON.stringify({ pebble }));
  const off = ['-http01', '', '-https01', '', '-tlsalpn01', ''];
  const names = await startChild({
    name: 'pebble-challtestsrv',
    command: '/usr/bin/pebble-challtestsrv',
    args: [
      '-dns01',
      `127.0.0.1:${dnsPort}`,
      '-management',
      `127.0.0.1:${dnsManagementPort}`,
      '-defaultIPv6',
      '',
      ...off,
    ],
    outputPath: path('names.log'),
  });
  const authority = await startChild({
    name: 'pebble',
    command: '/usr/bin/pebble',
    args: ['-config', path('config.json'), '-strict', '-dnsserver', `127.0.0.1:${dnsPort}`],
    outputPath: path('pebble.log'),
    env: { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '20', PEBBLE_AUTHZREUSE: '0' },
  });
  trust(certificatePem);
  const directory = `https://127.0.0.1:${port}/dir`;
  await untilReady([names, authority], async () => void (await fetch(directory)), 20_000);
  return {
    directory,
    httpPort: checked.httpPort,
    findRoot: async () => (await fetch(`https://127.0.0.1:${managementPort}/roots/0`)).text(),
    async stop() {
      await authority.stop();
      await names.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
