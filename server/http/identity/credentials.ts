// The kind of credential decides: with an Authorization header cookies are ignored.

import type { IncomingMessage } from 'node:http';
import { waitIn } from '#language/durations.ts';
import { findCaller } from '../../actions/api-keys/api-keys.ts';
import type { AnonymousCaller, Origin, UserCaller } from '../../domain/caller.ts';
import { assertGroupNetwork } from '../../domain/networks.ts';
import { Problem } from '../../domain/problem.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import type { HttpDeps } from '../deps.ts';
import { countOf } from '../transport/guard.ts';
import type { Exchange } from '../transport/router.ts';
import { originOf } from './origins.ts';
import { keepSessionActive, requireSession, type SessionRules, sessionOf } from './session-calls.ts';

export function anonymousCaller(deps: HttpDeps, exchange: Pick<Exchange, 'raw' | 'requestId'>): AnonymousCaller {
  return { kind: 'anonymous', from: originOf(deps, exchange) };
}

export async function requireUser(
  deps: HttpDeps,
  exchange: Pick<Exchange, 'raw' | 'response' | 'requestId'>,
  rules: SessionRules,
): Promise<UserCaller> {
  const { raw, response } = exchange;
  const from = originOf(deps, exchange);
  const session = raw.headers.authorization === undefined ? sessionOf(deps, raw) : undefined;
  if (session === undefined) return requireKey(deps, raw, from);
  const caller = await requireSession(deps, raw, rules, { token: session, from });
  assertGroupNetwork(caller, from.address);
  requirePace(deps, caller.userId, 'Too many calls in a short time.');
  if (rules.body === 'bytes' || rules.body === 'form') keepSessionActive(deps, response, session);
  return caller;
}

const recognised = new WeakSet<IncomingMessage>();

export function hasShownKey(raw: IncomingMessage): boolean {
  return recognised.has(raw);
}

/** A valid key is never rate-limited here. */
async function requireKey(deps: HttpDeps, raw: IncomingMessage, from: Origin): Promise<UserCaller> {
  const key = keyOf(raw);
  const caller = key === null ? null : await findCaller(deps.ctx, key, from);
  if (caller === null) {
    if (key !== null) countWrongKey(deps, from);
    throw new Problem('unauthenticated', 'credentials.invalid', 'The API key is missing or not valid.');
  }
  recognised.add(raw);
  requirePace(deps, caller.apiKeyId!, 'Too many calls with this API key.');
  assertGroupNetwork(caller, from.address);
  return caller;
}

function requirePace(deps: HttpDeps, who: string, sentence: string): void {
  const calls = deps.limits.apiCalls?.take(who, deps.ctx.clock.now());
  if (calls !== undefined && !calls.ok) throw tooMany('request.too_many', sentence, calls.retryAfterSeconds);
}

function countWrongKey(deps: HttpDeps, from: Origin): void {
  deps.meters.authFailed('api_key');
  const verdict = deps.limits.wrongKeys.hit(networkOf(from.address), deps.ctx.clock.now());
  if (!verdict.ok)
    throw tooMany('credentials.too_many', 'Too many wrong API keys came from your address.', verdict.retryAfterSeconds);
}

export function tooMany(code: string, sentence: string, retryAfterSeconds: number): Problem {
  return new Problem('rate_limited', code, `${sentence} Wait ${waitIn('en', retryAfterSeconds)}, then try again.`, {
    retryAfterSeconds: Math.ceil(retryAfterSeconds),
  });
}

/** Two headers count as none, and so does an empty one, which old clients send if they have no key. */
export function keyOf(raw: IncomingMessage): string | null {
  const header = raw.headers.authorization;
  if (header === undefined || header.length > 512 || countOf(raw, 'authorization') !== 1) return null;
  const space = header.indexOf(' ');
  const scheme = header.slice(0, space).toLowerCase();
  const value = header.slice(space + 1).trim();
  if (scheme === 'bearer') return value === '' ? null : value;
  if (scheme !== 'basic') return null;
  const [key] = Buffer.from(value, 'base64').toString('utf8').split(':', 1);
  return key === undefined || key === '' ? null : key;
}
