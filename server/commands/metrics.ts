// The door for Prometheus: `GET /metrics` on an address of its own, for this machine alone unless the operator says
// otherwise. Served by the process that was started, whichever number of workers it has. Never behind the public address.
import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { Config } from '../config.ts';
import { asListenProblem, listenOptions, removeStaleSocket } from '../lib/listening.ts';
import type { LineLog } from '../lib/log.ts';
import { type Figure, metricsContentType, writeFigures } from '../lib/metrics.ts';

export interface MetricsDoor {
  close(): void;
}

const usualPlace = { kind: 'port', host: '127.0.0.1', port: 9464 } as const;

export async function openMetrics(
  config: Pick<Config, 'metricsListen' | 'metricsToken'>,
  log: LineLog,
  read: () => Promise<Figure[]>,
): Promise<MetricsDoor> {
  if (config.metricsListen === 'off') return { close() {} };
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    const refuse = (status: number, sentence: string) =>
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${sentence}\n`);
    request.resume();
    if (request.url?.split('?', 1)[0] !== '/metrics') return refuse(404, 'Figures are at /metrics.');
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, 'Only GET is possible here.');
    if (!isWelcome(request, config.metricsToken?.reveal())) {
      response.setHeader('www-authenticate', 'Bearer');
      return refuse(401, 'Send the token of WAYBILL_METRICS_TOKEN as "Authorization: Bearer …".');
    }
    read().then(
      (figures) => response.writeHead(200, { 'content-type': metricsContentType }).end(writeFigures(figures)),
      (error: unknown) => {
        log.error({ err: String(error) }, 'figures for Prometheus could not be collected');
        refuse(500, 'The figures could not be collected; the log says why.');
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
    if (config.metricsListen !== null) throw problem;
    // The default port may be taken: a second installation on one machine must start all the same.
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

function isWelcome(request: IncomingMessage, token: string | undefined): boolean {
  if (token === undefined) return true;
  const given = Buffer.from(request.headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
