import type { IncomingMessage } from 'node:http';
import { findCaller } from '../../actions/api-keys/api-keys.ts';
import type { RequestingBrowser } from '../../actions/downloads/ticket-requests.ts';
import { visitorHash } from '../../actions/downloads/tickets.ts';
import type { TicketBearer } from '../../domain/downloads.ts';
import { mayComeFrom } from '../../domain/networks.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import type { HttpDeps } from '../deps.ts';
import { setCookie } from '../pages/forms.ts';
import type { Exchange } from '../transport/router.ts';
import { keyOf } from './credentials.ts';
import { addressOf, originOf } from './origins.ts';
import { proofCookie, readToken, sessionCookie, visitorCookie } from './visits.ts';

const visitorSeconds = 86_400;

/** The cookie lives as long as a ticket. */
export function ticketBrowser(deps: HttpDeps, raw: IncomingMessage): { browser: RequestingBrowser; cookies: string[] } {
  const token = readToken(deps, raw, visitorCookie) ?? deps.ctx.random.id();
  const browser = { token, network: networkOf(addressOf(deps, raw)) };
  return { browser, cookies: [setCookie(deps, visitorCookie, token, visitorSeconds)] };
}

/** Browsers are known by their cookies, programs by their key. */
export async function ticketBearerOf(
  deps: HttpDeps,
  exchange: Pick<Exchange, 'raw' | 'requestId'>,
): Promise<TicketBearer> {
  const { raw } = exchange;
  const from = originOf(deps, exchange);
  const network = networkOf(from.address);
  const key = keyOf(raw);
  const caller = key === null ? null : await findCaller(deps.ctx, key, from);
  const visitor = readToken(deps, raw, visitorCookie);
  const session = readToken(deps, raw, sessionCookie);
  const proof = readToken(deps, raw, proofCookie);
  const user = caller !== null && mayComeFrom(caller, from.address) ? caller : null;
  return {
    visitorHash: visitor === undefined ? null : visitorHash(deps.ctx, visitor),
    sessionHash: session === undefined ? null : deps.ctx.keys.hash('session', session),
    proofHash: proof === undefined ? null : deps.ctx.keys.hash('proof', proof),
    apiKeyId: user?.apiKeyId ?? null,
    isBare: visitor === undefined && session === undefined && proof === undefined,
    accountId: user?.userId ?? null,
    network,
  };
}
