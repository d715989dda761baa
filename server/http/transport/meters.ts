// Labels never contain an address, a file name or an id; a route is its registered pattern.
import { type Cell, createRegistry, type Metric } from '../../lib/metrics.ts';

export interface RouteMeter {
  /** `status` null: the client left before the answer. */
  finish(status: number | null, seconds: number): void;
}

export type AuthFailure = 'api_key' | 'password' | 'second_factor' | 'passkey' | 'code' | 'link_password';

export type InFlightLimit =
  | 'uploads_by_key'
  | 'uploads_by_address'
  | 'uploads_from_outside'
  | 'downloads_by_link'
  | 'downloads_by_address'
  | 'event_streams';

export interface TransferMeter {
  active: Cell;
  bytes: Cell;
}

export interface Meters {
  /** Requests whose handler has not returned. */
  requestsActive: Cell;
  inFlight(limit: InFlightLimit): Cell;
  route(method: string, path: string): RouteMeter;
  authFailed(kind: AuthFailure): void;
  messagesSent: Cell;
  uploads: TransferMeter;
  downloads: TransferMeter;
  mailFailed(outcome: 'deferred' | 'refused'): void;
  jobFailed(name: string): void;
  snapshot(): Metric[];
}

const durationBounds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];

export function createMeters(): Meters {
  const registry = createRegistry();
  const requests = registry.counter(
    'waybill_http_requests_total',
    'Requests that were answered, or whose client left.',
  );
  const inFlight = registry.gauge('waybill_in_flight', 'What counts against a limit on simultaneous work now.');
  const durations = registry.histogram(
    'waybill_http_request_duration_seconds',
    'Time from the headers of a request to the end of its answer.',
    durationBounds,
  );
  const authFailures = registry.counter('waybill_auth_failures_total', 'Wrong keys, passwords and codes.');
  const mailFailures = registry.counter('waybill_mail_failures_total', 'Attempts to hand over a mail that failed.');
  const jobFailures = registry.counter('waybill_jobs_failed_total', 'Runs of background jobs that failed.');
  const cell = (name: string, help: string) => registry.counter(name, help).of();
  const meters = {
    requestsActive: registry.gauge('waybill_http_requests_active', 'Requests whose handler has not returned.').of(),
    inFlight: (limit: InFlightLimit) => inFlight.of({ limit }),
    messagesSent: cell('waybill_messages_sent_total', 'Messages sent by people and programs.'),
    uploads: {
      active: registry.gauge('waybill_uploads_active', 'Requests that are receiving file bytes now.').of(),
      bytes: cell('waybill_upload_bytes_total', 'File bytes received.'),
    },
    downloads: {
      active: registry.gauge('waybill_downloads_active', 'Requests that are sending file bytes now.').of(),
      bytes: cell('waybill_download_bytes_total', 'File bytes sent.'),
    },
  };
  const own = registerProcess(registry);
  return {
    ...meters,
    route: (method, path) => {
      const byStatus = new Map<number | null, Cell>();
      // Created on demand: most installations never see most routes.
      let duration: ReturnType<typeof durations.of> | null = null;
      return {
        finish(status, seconds) {
          let count = byStatus.get(status);
          if (count === undefined) {
            count = requests.of({ method, route: path, status: status === null ? 'aborted' : String(status) });
            byStatus.set(status, count);
          }
          count.value += 1;
          duration ??= durations.of({ method, route: path });
          duration.observe(seconds);
        },
      };
    },
    authFailed: (kind) => addOne(authFailures.of({ kind })),
    mailFailed: (outcome) => addOne(mailFailures.of({ outcome })),
    jobFailed: (name) => addOne(jobFailures.of({ name })),
    snapshot() {
      own();
      return registry.snapshot();
    },
  };
}

function addOne(cell: Cell): void {
  cell.value += 1;
}

/** Returns the function that updates them. */
function registerProcess(registry: ReturnType<typeof createRegistry>): () => void {
  const workers = registry.gauge('waybill_workers', 'Processes that serve.').of();
  const memory = registry.gauge('process_resident_memory_bytes', 'Memory, of all processes that serve.').of();
  const processor = registry.counter('process_cpu_seconds_total', 'Processor time of all processes that serve.').of();
  return () => {
    const { userCPUTime, systemCPUTime } = process.resourceUsage();
    workers.value = 1;
    memory.value = process.memoryUsage.rss();
    processor.value = (userCPUTime + systemCPUTime) / 1e6;
  };
}
