// Orders the certificate of built-in TLS (ACME), and renews it when a third of its time is left. One process orders; the
// others load the result from the database.
import { X509Certificate } from 'node:crypto';
import type { Ctx } from '../actions/context.ts';
import { findAcmeSecret, saveAcmeChallenges, saveAcmeSecret } from '../db/system/acme.ts';
import type { CertificatePair } from '../lib/certificate-pair.ts';
import type { Job } from './job.ts';

export interface RenewalSettings {
  acmeDomains: readonly string[];
  acmeEmail: string | null;
  acmeDirectory: URL;
  /** With a port for plain HTTP, HTTP-01 proves the names; otherwise TLS-ALPN-01. */
  tlsRedirectListen: object | null;
}

interface Ordered extends CertificatePair {
  domains: readonly string[];
  directory: string;
}

/** Authorities limit failed attempts to five an hour. */
const everyMs = 15 * 60_000;

export function createRenewCertificate(settings: RenewalSettings): Job {
  return {
    name: 'renew-certificate',
    everyMs,
    async run(ctx) {
      const known = await findAcmeSecret(ctx.db.read, 'acme_certificate');
      if (known !== null && !isDue(JSON.parse(known) as Ordered, settings, ctx.clock.now()))
        return 'the certificate is not due yet';
      const pair = await order(ctx, settings);
      const ordered: Ordered = { ...pair, domains: settings.acmeDomains, directory: settings.acmeDirectory.href };
      await ctx.db.write((tx) => saveAcmeSecret(tx, 'acme_certificate', JSON.stringify(ordered)));
      return `a certificate until ${new X509Certificate(pair.cert).validTo} was issued`;
    },
  };
}

function isDue({ cert, domains, directory }: Ordered, settings: RenewalSettings, now: number): boolean {
  if (directory !== settings.acmeDirectory.href) return true;
  if (settings.acmeDomains.some((domain) => !domains.includes(domain))) return true;
  const { validFrom, validTo } = new X509Certificate(cert);
  const endsAt = Date.parse(validTo);
  return endsAt - now < (endsAt - Date.parse(validFrom)) / 3;
}

async function order(ctx: Ctx, settings: RenewalSettings): Promise<CertificatePair> {
  // Loaded only here, because most processes never order.
  const { createAccountKey, orderCertificate } = await import('../lib/acme/client.ts');
  let accountKey = await findAcmeSecret(ctx.db.read, 'acme_account');
  if (accountKey === null) {
    const created = createAccountKey();
    await ctx.db.write((tx) => saveAcmeSecret(tx, 'acme_account', created));
    accountKey = created;
  }
  try {
    return await orderCertificate({
      directory: settings.acmeDirectory,
      email: settings.acmeEmail,
      accountKey,
      domains: settings.acmeDomains,
      type: settings.tlsRedirectListen === null ? 'tls-alpn-01' : 'http-01',
      publish: (challenges) => ctx.db.write((tx) => saveAcmeChallenges(tx, challenges)),
    });
  } finally {
    await ctx.db.write((tx) => saveAcmeChallenges(tx, []));
  }
}
