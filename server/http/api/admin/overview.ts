// The overview of the console.
import type { AttentionBody, OverviewBody, RunningTransferBody } from '#contract/admin/overview.ts';
import { getOverview, type Overview, type RunningOf } from '../../../actions/overview/overview.ts';
import { stopRunning } from '../../../actions/overview/stopping.ts';
import { isoInstant } from '../../../lib/dates.ts';
import { version } from '../../../lib/version.ts';
import type { Serve } from '../../endpoint.ts';

export function serveOverview(serve: Serve): void {
  serve('getOverview', async ({ deps, ctx, caller }) => ({
    overview: overviewBody(await getOverview(ctx, caller), deps.canSendMail),
  }));
  serve('stopRunning', ({ ctx, caller, params }) => stopRunning(ctx, caller, params.id));
}

function overviewBody(overview: Overview, canSendMail: boolean): OverviewBody {
  const { days, usual, mail, storage } = overview;
  const today = days.at(-1)!;
  const figure = (name: 'messages' | 'downloads' | 'bytes') => ({ today: today[name], usual: usual[name] });
  return {
    attention: attentionOf(overview, canSendMail),
    running: overview.running.map(runningBody),
    today: { messages: figure('messages'), downloads: figure('downloads'), bytes: figure('bytes') },
    days: days.map(({ date, messages, downloads, bytes }) => ({ date, messages, downloads, bytes })),
    mail: {
      waiting: mail.waiting,
      oldest_at: mail.oldestAt === null ? null : isoInstant(mail.oldestAt),
      refused: mail.refused,
    },
    storage: {
      kept: storage.keptBytes,
      used: storage.usedBytes,
      total: storage.totalBytes,
      full_on: storage.fullOn,
    },
    readable: overview.readable.map(({ upToDays, files, bytes }) => ({ up_to_days: upToDays, files, bytes })),
    people: overview.people,
    version,
  };
}

function attentionOf({ alerts, isQuarantined, damagedFiles }: Overview, canSendMail: boolean): AttentionBody[] {
  const plain = { detail: '', since: null };
  return [
    ...(isQuarantined ? [{ topic: 'quarantined', count: null, ...plain } as const] : []),
    ...(canSendMail ? [] : [{ topic: 'mail-off', count: null, ...plain } as const]),
    ...alerts.map((alert): AttentionBody => {
      switch (alert.topic) {
        case 'storage-full':
          return { topic: alert.topic, count: alert.percentUsed, ...plain };
        case 'mail-waiting':
          return {
            topic: alert.topic,
            count: alert.mailCount,
            detail: alert.serverText,
            since: isoInstant(alert.oldestAt),
          };
        case 'mail-refused':
          return { topic: alert.topic, count: alert.mailCount, detail: alert.serverText, since: null };
        case 'jobs-failing':
          return {
            topic: alert.topic,
            count: alert.jobs.length,
            detail: alert.jobs.map(({ name }) => name).join(', '),
            since: null,
          };
        default:
          return { topic: alert.topic, count: null, detail: alert.detail, since: null };
      }
    }),
    ...(damagedFiles === 0 ? [] : [{ topic: 'files-damaged', count: damagedFiles, ...plain } as const]),
  ];
}

function runningBody({ owner, ownerId, uploadId, download, ...running }: RunningOf): RunningTransferBody {
  return {
    id: download === null ? `upload.${uploadId}` : `download.${download.number}.${ownerId}`,
    kind: download === null ? 'upload' : 'download',
    owner: { id: owner.id, name: owner.name, email: owner.email },
    recipient: download?.recipient ?? '',
    bytes: running.bytes,
    started_at: isoInstant(running.startedAt),
    active_at: isoInstant(running.activeAt),
  };
}
