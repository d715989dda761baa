// Metrics of the whole installation, and metering of the store and the mail transport.
import type { Ctx } from '../actions/context.ts';
import { findInstallationAmounts, type InstallationAmounts } from '../actions/system/metrics.ts';
import type { MailTransport, Vault } from '../domain/ports.ts';
import type { Meters, TransferMeter } from '../http/transport/meters.ts';
import { createRegistry, type Metric } from '../lib/metrics.ts';
import { version } from '../lib/version.ts';
import { failingChecks } from './readiness.ts';

/** Some metrics sum whole tables, so scrapes within this time share one result. */
const keptMs = 5_000;
/** Without the database, the other metrics are reported before the scrape times out. */
const patienceMs = 4_000;

export function createInstallationMetrics(ctx: Ctx): () => Promise<Metric[]> {
  let known: { until: number; amounts: Promise<InstallationAmounts> } | null = null;

  function amounts(): Promise<InstallationAmounts> {
    if (known === null || performance.now() > known.until)
      known = { until: performance.now() + keptMs, amounts: findInstallationAmounts(ctx) };
    return known.amounts;
  }

  return async () => {
    const inTime = within(amounts, null).catch(() => null);
    const [failing, found] = await Promise.all([within(() => failingChecks(ctx), null), inTime]);
    if (found === null) known = null;
    return metricsOf(failing !== null && failing.length === 0, found);
  };
}

async function within<Answer, Late>(work: () => Promise<Answer>, late: Late): Promise<Answer | Late> {
  const limit = Promise.withResolvers<Late>();
  const timer = setTimeout(() => limit.resolve(late), patienceMs);
  try {
    return await Promise.race([work(), limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function metricsOf(isReady: boolean, found: InstallationAmounts | null): Metric[] {
  const registry = createRegistry();
  const set = (name: string, help: string, value: number | null | undefined) => {
    if (value !== null && value !== undefined) registry.gauge(name, help).of().value = value;
  };
  registry
    .gauge('waybill_build_info', 'Which program this is; always 1.')
    .of({ version, node: process.versions.node }).value = 1;
  set('waybill_ready', 'Whether all checks of /readyz pass: 1 or 0.', isReady ? 1 : 0);
  set('waybill_links_active', 'Links that can be opened.', found?.activeLinks);
  set('waybill_mail_queue_depth', 'Mails that wait to be handed over.', found?.waitingMails);
  set('waybill_mail_oldest_seconds', 'How long the oldest of them has waited.', found?.oldestMailSeconds);
  set(
    'waybill_mail_unaccepted',
    'Mails of the last hour that were refused or deferred since the last accepted one.',
    found?.unacceptedMails,
  );
  set('waybill_jobs_held', 'Background jobs that wait for an operator.', found?.heldJobs);
  set(
    'waybill_future_instants',
    'Places in the database with an instant that is in the future.',
    found?.futureInstants,
  );
  set(
    'waybill_evidence_unsealed_seconds',
    'Age of the oldest event that is not in the log of evidence yet.',
    found?.unsealedSeconds,
  );
  const backupAt = found?.lastBackupAt ?? null;
  set('waybill_last_backup_timestamp_seconds', 'End of the last backup that went well.', backupAt && backupAt / 1000);
  const certificateEndsAt = found?.certificateEndsAt ?? null;
  set(
    'waybill_certificate_end_timestamp_seconds',
    'When the certificate of the public address ends.',
    certificateEndsAt && certificateEndsAt / 1000,
  );
  set('waybill_storage_used_bytes', 'Bytes of all files that are kept.', found?.keptBytes);
  set('waybill_storage_reclaimable_bytes', 'Bytes of files that are going to be erased.', found?.reclaimableBytes);
  const space = found?.space ?? null;
  set(
    'waybill_storage_free_bytes',
    'Room left where files are kept; absent for S3.',
    space && space.totalBytes - space.usedBytes,
  );
  set('waybill_storage_total_bytes', 'Room where files are kept, used or not; absent for S3.', space?.totalBytes);
  return registry.snapshot();
}

/** Meters uploads and downloads. */
export function measuredVault(vault: Vault, meters: Meters): Vault {
  return {
    ...vault,
    receive: (blob, body, options = {}) =>
      during(meters.uploads, (count) =>
        vault.receive(blob, body, {
          ...options,
          onBytes: (bytes) => {
            count(bytes);
            return options.onBytes?.(bytes);
          },
        }),
      ),
    send: (blob, range, destination, options = {}) =>
      during(meters.downloads, (count) =>
        vault.send(blob, range, destination, {
          ...options,
          onBytes: (bytes) => {
            count(bytes);
            options.onBytes?.(bytes);
          },
        }),
      ),
  };
}

async function during<Result>(
  meter: TransferMeter,
  transfer: (count: (bytes: number) => void) => Promise<Result>,
): Promise<Result> {
  meter.active.value += 1;
  try {
    return await transfer((bytes) => {
      meter.bytes.value += bytes;
    });
  } finally {
    meter.active.value -= 1;
  }
}

export function measuredTransport(transport: MailTransport, meters: Meters): MailTransport {
  return {
    get isReal() {
      return transport.isReal;
    },
    async send(mail) {
      const result = await transport.send(mail).catch((error: unknown) => {
        meters.mailFailed('deferred');
        throw error;
      });
      if (result.outcome !== 'accepted') meters.mailFailed(result.outcome);
      return result;
    },
    ...(transport.check === undefined ? {} : { check: () => transport.check!() }),
    forget: async (words) => transport.forget?.(words),
    close: () => transport.close(),
  };
}
