// `GET /metrics` for Prometheus, on a separate address: by default reachable from this machine only, and never through
// the public address. The process the operator started serves it.
import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { Config } from '../config.ts';
import { asListenProblem, listenOptions, removeStaleSocket } from '../lib/listening.ts';
import type { LineLog } from '../lib/log.ts';
import { type Metric, metricsContentType, writeMetrics } from '../lib/metrics.ts';

export interface MetricsServer {
  close(): void;
}

const usualPlace = { kind: 'port', host: '127.0.0.1', port: 9464 } as const;

export async function openMetrics(
  config: Pick<Config, 'metricsListen' | 'metricsToken'>,
  log: LineLog,
  read: () => Promise<Metric[]>,
): Promise<MetricsServer> {
  if (config.metricsListen === 'off') return { close() {} };
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    const refuse = (status: number, sentence: string) =>
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${sentence}\n`);
    request.resume();
    if (request.url?.split('?', 1)[0] !== '/metrics') return refuse(404, 'Metrics are at /metrics.');
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, 'Only GET is possible here.');
    if (!isAuthorized(request, config.metricsToken?.reveal())) {
      response.setHeader('www-authenticate', 'Bearer');
      return refuse(401, 'Send the token of WAYBILL_METRICS_TOKEN as "Authorization: Bearer …".');
    }
    read().then(
      (metrics) => response.writeHead(200, { 'content-type': metricsContentType }).end(writeMetrics(metrics)),
      (error: unknown) => {
        log.error({ err: String(error) }, 'metrics for Prometheus could not be collected');
        refuse(500, 'The metrics could not be collected; the log says why.');
      },
    );
  });
  const place = config.metricsListen ?? usualPlace;
  await removeStaleSocket(place);
  try {
    server.listen(listenOptions(place));
    await once(server, 'listening');
  } catch (error) {
    const problem = asListenProblem(error, place, 'WAYBILL_METRICS_LISTEN');
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    if (config.metricsListen !== null && !isTaken) throw problem;
    // During an upgrade two processes of one machine have the same settings.
    log.warn({}, `metrics are not served: ${problem instanceof Error ? problem.message : String(problem)}`);
    return { close() {} };
  }
  server.unref();
  return {
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function isAuthorized(request: IncomingMessage, token: string | undefined): boolean {
  if (token === undefined) return true;
  const given = Buffer.from(request.headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
