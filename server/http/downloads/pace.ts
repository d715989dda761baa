// Limits the downloads that one network may start in a minute, because each adds to the download log and the events.
import { networkOf } from '../../lib/rate-limit.ts';
import type { HttpDeps } from '../deps.ts';
import { tooMany } from '../identity/credentials.ts';
import { originOf } from '../identity/origins.ts';
import type { Exchange } from '../transport/router.ts';

/** Call it before a download or a range request is recorded. */
export function requireDownloadPace(deps: HttpDeps, exchange: Exchange): void {
  const network = networkOf(originOf(deps, exchange).address);
  const pace = deps.limits.downloadRequests?.take(network, deps.ctx.clock.now());
  if (pace !== undefined && !pace.ok)
    throw tooMany('download.too_many', 'Too many downloads were started from your network.', pace.retryAfterSeconds);
}
