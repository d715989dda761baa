// Tests the public address with real requests: which server answers, what the proxy changes, limits and buffers.
import type { UserCaller } from '../../domain/caller.ts';
import { type Check, type CheckCode, connectionChecks } from '../../domain/checks.ts';
import { requireRight } from '../../domain/roles.ts';
import { sameText } from '../../lib/keyring.ts';
import { type CertificateFault, certificateFault } from '../../lib/outbound-tls.ts';
import { isForwardedUnbuffered, isSizeAccepted, type ProbeReply, post } from '../../lib/probe-client.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';

export interface Arrived {
  host: string;
  forwardedFor: string | null;
  peer: string;
  peerPort: number;
  isPeerTrusted: boolean;
}

/** Null if the response is not from our probe. */
export type ReadAnswer = (body: string) => Arrived | null;

const tokenLifetimeMs = 5 * 60_000;
/** A reserved address: a correct proxy appends the real one. */
const reservedAddress = '203.0.113.77';
const bufferingWaitMs = 5000;
const sizeStep = 64 * 1024;
const clockToleranceMs = 60_000;

interface Prover {
  clock: Pick<Ctx['clock'], 'now'>;
  keys: Pick<Ctx['keys'], 'hash'>;
}

export interface PublicAddress {
  baseUrl: string;
  maxChunkSizeBytes: number;
}

/** Opens the probe for five minutes. */
export function probeToken(ctx: Prover): string {
  const until = String(ctx.clock.now() + tokenLifetimeMs);
  return `${until}.${signature(ctx, until)}`;
}

export function isProbeToken(ctx: Prover, token: string): boolean {
  const [until = '', signed = ''] = token.split('.');
  return /^\d{1,15}$/.test(until) && sameText(signed, signature(ctx, until)) && Number(until) > ctx.clock.now();
}

function signature(ctx: Prover, until: string): string {
  return ctx.keys.hash('probe', until).toString('base64url');
}

export async function testConnection(
  ctx: Ctx,
  caller: UserCaller,
  readAnswer: ReadAnswer,
): Promise<{ url: string; checks: Check[] }> {
  requireRight(caller, 'system.change');
  const { surroundings } = ctx.settings;
  const checks = await checkPublicAddress(surroundings, probeToken(ctx), readAnswer);
  await ctx.db.write((tx) =>
    record(ctx, tx, caller, {
      action: 'system.connection_tested',
      object: { kind: 'system', id: 'installation' },
      ownerId: '',
      facts: { failed: checks.filter(({ state }) => state === 'failed').map(({ code }) => code) },
    }),
  );
  return { url: surroundings.baseUrl, checks };
}

export async function checkPublicAddress(
  place: PublicAddress,
  token: string,
  readAnswer: ReadAnswer,
): Promise<Check[]> {
  const base = place.baseUrl;
  const url = new URL(`${base}/probe/${token}`);
  let reply: ProbeReply;
  try {
    reply = await post(url, { 'x-forwarded-for': reservedAddress });
  } catch (error) {
    const { code, said } = connectionFault(error as NodeJS.ErrnoException);
    return withRest({ check: 'address', state: 'failed', code, values: { url: base, host: url.hostname }, said });
  }
  const arrived = reply.status === 200 ? readAnswer(reply.body) : null;
  if (arrived === null) return withRest(foreignResponse(reply, base, url));
  return [
    { check: 'address', state: 'passed', code: 'public.reached', values: { url: base } },
    checkHost(arrived, url),
    checkHttps(url),
    checkForwarded(arrived, reply),
    await checkSize(place, url),
    await checkBuffering(url),
    checkClock(reply),
  ];
}

function withRest(found: Check): Check[] {
  return connectionChecks.map(
    (check): Check => (check === found.check ? found : { check, state: 'skipped', code: 'public.not_reached' }),
  );
}

const certificateCodes = {
  unknown_authority: 'public.unknown_authority',
  expired: 'public.expired_certificate',
  other: 'public.bad_certificate',
} as const satisfies Record<CertificateFault, CheckCode>;

function connectionFault(error: NodeJS.ErrnoException): { code: CheckCode; said: string } {
  const said = `${error.code ?? ''} ${error.message}`.trim();
  if (/ENOTFOUND|EAI_AGAIN/.test(said)) return { code: 'public.host_unknown', said };
  if (/ETIMEDOUT/.test(said)) return { code: 'public.silent', said };
  const untrusted = certificateFault(error);
  return { code: untrusted === null ? 'public.refused' : certificateCodes[untrusted], said };
}

/** A refusal of our own server shows what the proxy left out. */
function foreignResponse(reply: ProbeReply, base: string, url: URL): Check {
  const { status, headers, body } = reply;
  const said = `${status} ${body.replace(/\s+/g, ' ').slice(0, 200)}`;
  const address = (code: CheckCode, values: Record<string, string> = {}): Check => ({
    check: 'address',
    state: 'failed',
    code,
    values: { url: base, ...values },
    said,
  });
  if (/request\.foreign_host/.test(body))
    return { check: 'host', state: 'failed', code: 'host.changed', values: { host: url.host, seen: '?' }, said };
  if (/request\.insecure/.test(body))
    return { check: 'forwarded', state: 'failed', code: 'forwarded.untrusted', values: { peer: 'private' }, said };
  if (status >= 300 && status < 400)
    return address('public.redirected', { to: String(headers.location ?? '').slice(0, 200) });
  if (status >= 502 && status <= 504) return address('public.bad_gateway', { status: String(status) });
  return address('public.another_server');
}

function checkHost({ host }: Arrived, url: URL): Check {
  return host === url.host
    ? { check: 'host', state: 'passed', code: 'host.ok' }
    : { check: 'host', state: 'failed', code: 'host.changed', values: { host: url.host, seen: host } };
}

function checkHttps(url: URL): Check {
  if (url.protocol === 'https:') return { check: 'https', state: 'passed', code: 'https.ok' };
  const isLocal = /^(localhost|127\..*|\[::1\])$/.test(url.hostname);
  return isLocal
    ? { check: 'https', state: 'passed', code: 'https.local' }
    : { check: 'https', state: 'failed', code: 'https.plain' };
}

function checkForwarded({ forwardedFor, peer, peerPort, isPeerTrusted }: Arrived, { localPort }: ProbeReply): Check {
  if (peerPort === localPort) return { check: 'forwarded', state: 'passed', code: 'forwarded.direct' };
  const last = forwardedFor?.split(',').at(-1)?.trim() ?? '';
  if (last === '' || last === reservedAddress)
    return { check: 'forwarded', state: 'failed', code: 'forwarded.missing', said: forwardedFor ?? '' };
  return isPeerTrusted
    ? { check: 'forwarded', state: 'passed', code: 'forwarded.ok', said: last }
    : { check: 'forwarded', state: 'failed', code: 'forwarded.untrusted', values: { peer } };
}

/** Bisects for the largest size that passes. */
async function checkSize({ maxChunkSizeBytes: wanted }: PublicAddress, url: URL): Promise<Check> {
  if (await isSizeAccepted(url, wanted).catch(() => false))
    return { check: 'size', state: 'passed', code: 'size.ok', values: { size: sizeText(wanted) } };
  let [passed, refused] = [0, Math.ceil(wanted / sizeStep)];
  while (refused - passed > 1) {
    const middle = Math.floor((passed + refused) / 2);
    if (await isSizeAccepted(url, middle * sizeStep).catch(() => false)) passed = middle;
    else refused = middle;
  }
  const values = { size: sizeText(passed * sizeStep), wanted: sizeText(wanted) };
  return { check: 'size', state: 'failed', code: 'size.too_small', values };
}

function sizeText(bytes: number): string {
  const mebibytes = bytes / (1024 * 1024);
  return mebibytes >= 1 ? `${Math.round(mebibytes * 10) / 10} MiB` : `${Math.round(bytes / 1024)} KiB`;
}

async function checkBuffering(url: URL): Promise<Check> {
  const isStreamed = await isForwardedUnbuffered(url, bufferingWaitMs).catch(() => false);
  return isStreamed
    ? { check: 'buffering', state: 'passed', code: 'buffering.ok' }
    : { check: 'buffering', state: 'failed', code: 'buffering.uploads' };
}

/** A proxy sets its own `Date` header. */
function checkClock({ headers, receivedAt }: ProbeReply): Check {
  const date = Date.parse(headers.date ?? '');
  const offMs = Number.isNaN(date) ? 0 : Math.abs(date - receivedAt);
  return offMs <= clockToleranceMs
    ? { check: 'clock', state: 'passed', code: 'clock.ok' }
    : { check: 'clock', state: 'failed', code: 'clock.off', values: { seconds: Math.round(offMs / 1000) } };
}
