// Announces the ends of secrets and certificates of sign-in services: by mail 60, 30 and 7 days before, once each, and
// on the overview of the console.
import { findSamlState } from '../../db/identity/saml-states.ts';
import { findMeta, setMeta } from '../../db/system/installation.ts';
import { announcementOf, type Ending } from '../../domain/credential-ends.ts';
import type { SignInService } from '../../domain/sign-in-service-fields.ts';
import { readValidity, serverOf, type TlsServer, type Validity, validityOf } from '../../lib/certificate-end.ts';
import { parseLdapUrl } from '../../lib/ldap/url.ts';
import { certificatesIn } from '../../lib/outbound-tls.ts';
import { readProviderMetadata } from '../../lib/saml/metadata.ts';
import { mailAdministrators } from '../alerts/alerts.ts';
import type { Ctx } from '../context.ts';
import { listServices } from './service-list.ts';

const stored = 'credential_ends';

/** With what was announced already: the days before the end; null for nothing. */
type Known = Ending & { announced: number | null };

async function listKnown(ctx: Ctx): Promise<Known[]> {
  return JSON.parse((await findMeta(ctx.db.read, stored)) ?? '[]') as Known[];
}

/** As sentences without a full stop. */
export async function listEndingCredentials(ctx: Ctx): Promise<string[]> {
  const now = ctx.clock.now();
  return (await listKnown(ctx))
    .filter((ending) => announcementOf(ending, now) !== null)
    .map((ending) => describe(ending, now));
}

function describe({ what, endsAt }: Ending, now: number): string {
  return `${what} ${endsAt <= now ? 'ended' : 'ends'} on ${new Date(endsAt).toISOString().slice(0, 10)}`;
}

/** How many. */
export async function announceCredentialEnds(ctx: Ctx): Promise<number> {
  const known = await listKnown(ctx);
  const ends = await readEnds(ctx, known);
  const now = ctx.clock.now();
  const due: Known[] = [];
  const after = ends.map((ending): Known => {
    const before =
      known.find(({ what, endsAt }) => what === ending.what && endsAt === ending.endsAt)?.announced ?? null;
    const announced = announcementOf(ending, now);
    const next = { ...ending, announced: announced ?? before };
    if (announced !== null && (before === null || announced < before)) due.push(next);
    return next;
  });
  const text = JSON.stringify(after);
  if (text === JSON.stringify(known)) return 0;
  await ctx.db.write(async (tx) => {
    await setMeta(tx, stored, text);
    if (due.length === 0) return;
    const detail = due.map((ending) => describe(ending, now)).join('; ');
    await mailAdministrators(ctx, tx, { topic: 'credential-ending', detail });
  });
  return due.length;
}

interface Part {
  what: string;
  /** Rejects if it cannot be read now. Null: there is none. */
  read: () => Promise<Omit<Ending, 'what'> | null>;
}

/** What cannot be read now ends when it was last seen to end. */
async function readEnds(ctx: Ctx, known: readonly Known[]): Promise<Ending[]> {
  const parts = (await listServices(ctx)).flatMap((service) => partsOf(ctx, service));
  const found = await Promise.all(
    parts.map(async ({ what, read }) => {
      const end = await read().catch(() => known.find((one) => one.what === what) ?? null);
      return end === null ? [] : [{ what, startsAt: end.startsAt, endsAt: end.endsAt }];
    }),
  );
  return found.flat();
}

function partsOf(ctx: Ctx, service: SignInService): Part[] {
  const { name, kind, settings } = service;
  const parts: Part[] = [];
  const secretEndsOn = settings.client_secret_ends_on ?? '';
  if (secretEndsOn !== '') {
    const endsAt = Date.parse(secretEndsOn);
    parts.push({ what: `The client secret of ${name}`, read: async () => ({ startsAt: null, endsAt }) });
  }
  if (kind === 'saml')
    parts.push({ what: `The signing certificate of ${name}`, read: () => readSigningEnd(ctx, service) });
  if (settings.ca !== '')
    parts.push({
      what: `A certificate authority of ${name}`,
      read: async () => earliest(certificatesIn(settings.ca!).map(validityOf)),
    });
  const server = serverOfService(service);
  if (server !== null)
    parts.push({ what: `The certificate of ${server.host} (${name})`, read: () => readValidity(server) });
  return parts;
}

/** Identity providers publish the next certificate before the present one ends: the last one counts. */
async function readSigningEnd(ctx: Ctx, { id, settings }: SignInService): Promise<Validity | null> {
  const metadata = settings.metadata || (await findSamlState(ctx.db.read, id))?.fetched?.metadata;
  if (metadata === undefined) return null;
  const { certificates } = await readProviderMetadata(metadata);
  return certificates
    .map((certificate) => validityOf(Buffer.from(certificate, 'base64')))
    .reduce((last, one) => (one.endsAt > last.endsAt ? one : last));
}

function earliest(validities: readonly Validity[]): Validity | null {
  return validities.toSorted((a, b) => a.endsAt - b.endsAt)[0] ?? null;
}

/** Null without TLS. */
export function serverOfService({ kind, settings }: SignInService): TlsServer | null {
  if (kind === 'ldap') {
    const target = parseLdapUrl(settings.url!);
    if (target === null || target.protection === 'none') return null;
    const { host, port, protection } = target;
    return { host, port, greeting: protection === 'tls' ? 'none' : 'ldap' };
  }
  const url = URL.parse((kind === 'oidc' ? settings.issuer : settings.metadata_url) ?? '');
  return url?.protocol === 'https:' ? serverOf(url, 443) : null;
}
