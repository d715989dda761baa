import { networkOf } from '../../lib/rate-limit.ts';
import type { HttpDeps } from '../deps.ts';
import { tooMany } from '../identity/credentials.ts';
import { originOf } from '../identity/origins.ts';
import type { Exchange } from '../transport/router.ts';

/** Each started download adds to the download log and the events, so call this before recording one. */
export function requireDownloadPace(deps: HttpDeps, exchange: Exchange): void {
  const network = networkOf(originOf(deps, exchange).address);
  const pace = deps.limits.downloadRequests?.take(network, deps.ctx.clock.now());
  if (pace !== undefined && !pace.ok)
    throw tooMany('download.too_many', 'Too many downloads were started from your network.', pace.retryAfterSeconds);
}
