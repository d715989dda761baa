// Announces certificates that end soon: of the public address, the services that Waybill uses, and WAYBILL_CA_FILE.
import { X509Certificate } from 'node:crypto';
import { serverOfService } from '../../actions/identity/credential-ends.ts';
import type { Config } from '../../config.ts';
import { servicesFromEnvironment } from '../../config-identity.ts';
import type { MailInForce } from '../../domain/mail-settings.ts';
import { readCertificateEnd, serverOf, type TlsServer } from '../../lib/certificate-end.ts';
import { readPair } from '../../lib/certificate-pair.ts';
import { certificateCheck, pairFilesOf } from '../server-certificate.ts';
import { type Finding, fault, ok, warn } from './findings.ts';

/** The pair of files of built-in TLS. */
export async function checkServerCertificate(config: Config): Promise<Finding[]> {
  const files = pairFilesOf(config);
  if (files === null) return [];
  const reason = await readPair(files).then(
    () => null,
    (error: Error) => error.message,
  );
  if (reason === null) return [];
  return [fault(certificateCheck, reason, 'Correct the files; a running service uses them within seconds.')];
}

const dayMs = 86_400_000;
const announcedMs = 21 * dayMs;

export async function checkCertificates(config: Config, mail: MailInForce | null, now: number): Promise<Finding[]> {
  const ends = [
    ...config.caFile.map((pem) => ({ what: 'an authority of WAYBILL_CA_FILE', endsAt: validTo(pem) })),
    ...(await Promise.all(
      serversOf(config, mail).map(async ([what, server]) => ({
        what: `${what} (${server.host}:${server.port})`,
        // The check of the service reports why it does not answer.
        endsAt: await readCertificateEnd(server).catch(() => Number.POSITIVE_INFINITY),
      })),
    )),
  ];
  const findings = ends.filter(({ endsAt }) => endsAt - now <= announcedMs).map((end) => describe(end, now));
  const isKnown = ends.some(({ endsAt }) => Number.isFinite(endsAt));
  if (findings.length > 0 || !isKnown) return findings;
  return [ok('certificates', `None of ${ends.length} ends within 21 days.`)];
}

function validTo(pem: string): number {
  return Date.parse(new X509Certificate(pem).validTo);
}

function describe({ what, endsAt }: { what: string; endsAt: number }, now: number): Finding {
  const on = new Date(endsAt).toISOString().slice(0, 10);
  return endsAt <= now
    ? fault('certificates', `The certificate of ${what} ended on ${on}.`, 'Renew it there.')
    : warn('certificates', `The certificate of ${what} ends on ${on}.`, 'Renew it there before that day.');
}

function serversOf(config: Config, mail: MailInForce | null): [string, TlsServer][] {
  const { baseUrl, storage, storageBefore, s3Endpoint, databaseUrl } = config;
  const servers: [string, TlsServer][] = [];
  if (baseUrl.protocol === 'https:') servers.push(['the public address', serverOf(baseUrl, 443)]);
  if ((storage === 's3' || storageBefore === 's3') && s3Endpoint?.protocol === 'https:')
    servers.push(['the object store', serverOf(s3Endpoint, 443)]);
  const database = databaseUrl?.reveal() ?? '';
  if (URL.canParse(database) && /[?&]ssl/.test(database))
    servers.push(['the database', serverOf(new URL(database), 5432, 'postgres')]);
  const setup = mail?.setup ?? null;
  if (setup?.method === 'smtp')
    servers.push([
      'the relay',
      { host: setup.host, port: setup.port, greeting: setup.security === 'tls' ? 'none' : 'smtp' },
    ]);
  for (const service of servicesFromEnvironment(config)) {
    const server = serverOfService(service);
    if (server !== null) servers.push([`the sign-in service ${service.name}`, server]);
  }
  return servers;
}
