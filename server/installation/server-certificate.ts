// The certificate that the service presents. A changed pair of files is used for new connections; a broken pair leaves
// the previous one in use.
import { stat } from 'node:fs/promises';
import type { Ctx } from '../actions/context.ts';
import type { Config } from '../config.ts';
import { findAcmeSecret, listAcmeChallenges } from '../db/system/acme.ts';
import type { Log } from '../domain/ports.ts';
import type { CertificateSource } from '../http/transport/tls.ts';
import { createChallengeCertificate } from '../lib/acme/certificates.ts';
import { type CertificatePair, type PairFiles, readPair } from '../lib/certificate-pair.ts';
import { OperatorProblem } from '../lib/operator-problem.ts';

/** As in the log and in /readyz. */
export const certificateCheck = 'certificate';

export interface ServerCertificate extends CertificateSource {
  /** Uses changed files. Why they are not used, as a sentence; null if they are. */
  check(): Promise<string | null>;
}

export function pairFilesOf({ tlsCertFile, tlsKeyFile }: Config): PairFiles | null {
  return tlsCertFile === null || tlsKeyFile === null ? null : { certFile: tlsCertFile, keyFile: tlsKeyFile };
}

/** Null without built-in TLS. */
export async function openServerCertificate(config: Config, ctx: Ctx, log: Log): Promise<ServerCertificate | null> {
  if (config.acmeDomains.length > 0) return openOrderedCertificate(ctx);
  const files = pairFilesOf(config);
  return files === null ? null : openPairFiles(files, log);
}

/** The certificate that the job `renew-certificate` of one process orders, for all processes. */
async function openOrderedCertificate({ db, clock }: Ctx): Promise<ServerCertificate> {
  let text: string | null = null;
  let current: CertificatePair | null = null;
  return {
    current: () => current,
    challenges: {
      async findKeyAuthorization(token) {
        const open = await listAcmeChallenges(db.read);
        return open.find((challenge) => challenge.token === token)?.keyAuthorization ?? null;
      },
      async createCertificate(serverName) {
        const open = await listAcmeChallenges(db.read);
        const found = open.find(({ domain }) => domain === serverName.toLowerCase());
        return found === undefined
          ? null
          : createChallengeCertificate(found.domain, found.keyAuthorization, clock.now());
      },
    },
    async check() {
      const found = await findAcmeSecret(db.read, 'acme_certificate').catch(() => text);
      if (found !== null && found !== text) current = JSON.parse(found) as CertificatePair;
      text = found ?? text;
      return current === null ? 'The certificate authority has not issued a certificate yet.' : null;
    },
  };
}

/** Throws an OperatorProblem if the first pair cannot be used. */
async function openPairFiles(files: PairFiles, log: Log): Promise<ServerCertificate> {
  const refuse = (error: unknown) => {
    throw error instanceof RangeError ? new OperatorProblem(error.message) : error;
  };
  let seen = await signatureOf(files);
  let current = await readPair(files).catch(refuse);
  let fault: string | null = null;
  let isCertain = false;
  return {
    current: () => current,
    challenges: null,
    async check() {
      const signature = await signatureOf(files);
      if (signature === seen && (fault === null || isCertain)) return fault;
      try {
        const found = await readPair(files);
        const isChanged = found.cert !== current.cert || found.key !== current.key;
        current = found;
        [seen, fault, isCertain] = [signature, null, false];
        if (isChanged) log.info({}, 'the changed certificate is in use');
      } catch (error) {
        // The two files change one after the other, so one more check decides.
        isCertain = fault !== null && signature === seen;
        [seen, fault] = [signature, `${String((error as Error).message)} The previous certificate stays in use.`];
      }
      return isCertain ? fault : null;
    },
  };
}

/** Changes with the files, also when a link to them changes. */
async function signatureOf({ certFile, keyFile }: PairFiles): Promise<string> {
  const marks = await Promise.all(
    [certFile, keyFile].map((path) =>
      stat(path).then(
        ({ ino, mtimeMs, size }) => `${ino} ${mtimeMs} ${size}`,
        () => 'absent',
      ),
    ),
  );
  return marks.join(', ');
}
