// Queues alerts for administrators.
import { alertAdministrators } from '../actions/alerts/alerts.ts';
import { findAlerts, levelOf } from '../actions/alerts/checks.ts';
import { recordStorageDay } from '../actions/storage/history.ts';
import type { AlertTopic } from '../mail/kinds/admin-alert.ts';
import type { Job } from './job.ts';

export const watchHealth: Job = {
  name: 'watch-health',
  everyMs: 5 * 60_000,
  isHarmless: true,
  async run(ctx) {
    const alerts = await findAlerts(ctx);
    await recordStorageDay(ctx);
    let notified = 0;
    for (const alert of alerts) {
      if (!(await ctx.db.write((tx) => alertAdministrators(ctx, tx, alert, levelOfAlert(alert))))) continue;
      ctx.log.error(alert, 'something needs an administrator');
      notified += 1;
    }
    return `${alerts.length} problems, ${notified} notified`;
  },
};

function levelOfAlert(alert: AlertTopic): string {
  if (alert.topic === 'storage-full') return String(levelOf(alert.percentUsed));
  return alert.topic === 'sync-stopped' ? alert.services : '';
}
