// The way from the public address to here, tried with real requests: who answers, what the proxy changes, how large bodies
// may be, and whether it holds them back. Each fault is named by a code of `domain/checks.ts`.
import type { UserCaller } from '../../domain/caller.ts';
import { type Check, type CheckCode, connectionChecks } from '../../domain/checks.ts';
import { requireRight } from '../../domain/roles.ts';
import { sameText } from '../../lib/keyring.ts';
import { isPassedOn, isSizeTaken, type ProbeReply, post } from '../../lib/probe-client.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';

/** What arrived of a request, as the server tells it. */
export interface Arrived {
  host: string;
  forwardedFor: string | null;
  peer: string;
  peerPort: number;
  isPeerTrusted: boolean;
}

/** Null for an answer that is not ours. */
export type ReadAnswer = (body: string) => Arrived | null;

const tokenLifetimeMs = 5 * 60_000;
/** Nobody has this address: a proxy that tells the truth adds another one. */
const madeUpAddress = '203.0.113.77';
const bufferingWaitMs = 5000;
const sizeStep = 64 * 1024;
const clockToleranceMs = 60_000;

/** What makes a token, and knows it again. */
interface Prover {
  clock: Pick<Ctx['clock'], 'now'>;
  keys: Pick<Ctx['keys'], 'hash'>;
}

/** The public address that is tried, and the largest body that must come through. */
export interface PublicAddress {
  baseUrl: string;
  maxChunkSizeBytes: number;
}

/** Opens the probe for a while; any process of the installation knows it. */
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
  const checks = await lookThrough(surroundings, probeToken(ctx), readAnswer);
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

/** Changes nothing, here or on the way. */
export async function lookThrough(place: PublicAddress, token: string, readAnswer: ReadAnswer): Promise<Check[]> {
  const base = place.baseUrl;
  const url = new URL(`${base}/probe/${token}`);
  let reply: ProbeReply;
  try {
    reply = await post(url, { 'x-forwarded-for': madeUpAddress });
  } catch (error) {
    const { code, said } = connectionFault(error as NodeJS.ErrnoException);
    return withRest({ check: 'address', state: 'failed', code, values: { url: base, host: url.hostname }, said });
  }
  const arrived = reply.status === 200 ? readAnswer(reply.body) : null;
  if (arrived === null) return withRest(strangerAt(reply, base, url));
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

/** In order, the others not tried. */
function withRest(found: Check): Check[] {
  return connectionChecks.map(
    (check): Check => (check === found.check ? found : { check, state: 'skipped', code: 'public.not_reached' }),
  );
}

function connectionFault(error: NodeJS.ErrnoException): { code: CheckCode; said: string } {
  const said = `${error.code ?? ''} ${error.message}`.trim();
  if (/ENOTFOUND|EAI_AGAIN/.test(said)) return { code: 'public.host_unknown', said };
  if (/ETIMEDOUT/.test(said)) return { code: 'public.silent', said };
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|certificate/i.test(said)) return { code: 'public.bad_certificate', said };
  return { code: 'public.refused', said };
}

/** An answer that is not ours, or ours and a refusal: the guard at the door says what the proxy left out. */
function strangerAt(reply: ProbeReply, base: string, url: URL): Check {
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
  if (last === '' || last === madeUpAddress)
    return { check: 'forwarded', state: 'failed', code: 'forwarded.missing', said: forwardedFor ?? '' };
  return isPeerTrusted
    ? { check: 'forwarded', state: 'passed', code: 'forwarded.ok', said: last }
    : { check: 'forwarded', state: 'failed', code: 'forwarded.untrusted', values: { peer } };
}

/** The largest piece must come through; if it does not, what does is found by halving. */
async function checkSize({ maxChunkSizeBytes: wanted }: PublicAddress, url: URL): Promise<Check> {
  if (await isSizeTaken(url, wanted).catch(() => false))
    return { check: 'size', state: 'passed', code: 'size.ok', values: { size: sizeText(wanted) } };
  let [taken, refused] = [0, Math.ceil(wanted / sizeStep)];
  while (refused - taken > 1) {
    const middle = Math.floor((taken + refused) / 2);
    if (await isSizeTaken(url, middle * sizeStep).catch(() => false)) taken = middle;
    else refused = middle;
  }
  const values = { size: sizeText(taken * sizeStep), wanted: sizeText(wanted) };
  return { check: 'size', state: 'failed', code: 'size.too_small', values };
}

function sizeText(bytes: number): string {
  const mebibytes = bytes / (1024 * 1024);
  return mebibytes >= 1 ? `${Math.round(mebibytes * 10) / 10} MiB` : `${Math.round(bytes / 1024)} KiB`;
}

async function checkBuffering(url: URL): Promise<Check> {
  const isPassing = await isPassedOn(url, bufferingWaitMs).catch(() => false);
  return isPassing
    ? { check: 'buffering', state: 'passed', code: 'buffering.ok' }
    : { check: 'buffering', state: 'failed', code: 'buffering.uploads' };
}

/** A proxy writes its own date into replies. */
function checkClock({ headers, receivedAt }: ProbeReply): Check {
  const told = Date.parse(headers.date ?? '');
  const offMs = Number.isNaN(told) ? 0 : Math.abs(told - receivedAt);
  return offMs <= clockToleranceMs
    ? { check: 'clock', state: 'passed', code: 'clock.ok' }
    : { check: 'clock', state: 'failed', code: 'clock.off', values: { seconds: Math.round(offMs / 1000) } };
}
