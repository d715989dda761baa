import type { Attention } from '#contract/admin/overview.ts';
import { getOverview, type Overview } from '../../../actions/overview/overview.ts';
import { stopRunning } from '../../../actions/overview/stopping.ts';
import { version } from '../../../lib/version.ts';
import type { Serve } from '../../endpoint.ts';

export function serveOverview(serve: Serve): void {
  serve('getOverview', async ({ deps, ctx, caller }) => {
    const overview = await getOverview(ctx, caller);
    const { days, usual } = overview;
    const today = days.at(-1)!;
    const figure = (name: 'messages' | 'downloads' | 'bytes') => ({ today: today[name], usual: usual[name] });
    return {
      overview: {
        ...overview,
        attention: attentionOf(overview, deps.mail.route.isReal),
        today: { messages: figure('messages'), downloads: figure('downloads'), bytes: figure('bytes') },
        version,
      },
    };
  });
  serve('stopRunning', ({ ctx, caller, params }) => stopRunning(ctx, caller, params.id));
}

function attentionOf(overview: Overview, canSendMail: boolean): Attention[] {
  const { noBackupSince, damagedFiles, heldFiles, waitingReviews, scannerOutage, lostPasskeys } = overview;
  const plain = { detail: '', since: null };
  return [
    ...(overview.isQuarantined ? [{ topic: 'quarantined', count: null, ...plain } as const] : []),
    ...(canSendMail ? [] : [{ topic: 'mail-off', count: null, ...plain } as const]),
    ...overview.alerts.map((alert): Attention => {
      switch (alert.topic) {
        case 'storage-full':
          return { topic: alert.topic, count: alert.percentUsed, ...plain };
        case 'mail-waiting':
          return {
            topic: alert.topic,
            count: alert.mailCount,
            detail: alert.serverText,
            since: alert.oldestAt,
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
    ...(noBackupSince === null
      ? []
      : [{ topic: 'backup-missing', count: null, detail: '', since: noBackupSince } as const]),
    ...(scannerOutage === null ? [] : [{ topic: 'scanner-silent', count: null, ...scannerOutage } as const]),
    ...(heldFiles === 0 ? [] : [{ topic: 'files-held', count: heldFiles, ...plain } as const]),
    ...(waitingReviews === 0 ? [] : [{ topic: 'reviews-waiting', count: waitingReviews, ...plain } as const]),
    ...(lostPasskeys === null
      ? []
      : [{ topic: 'passkeys-elsewhere', count: lostPasskeys.people + lostPasskeys.addresses, ...plain } as const]),
    ...(damagedFiles === 0 ? [] : [{ topic: 'files-damaged', count: damagedFiles, ...plain } as const]),
  ];
}
