// Tells System Administrators by mail that something needs them. Each of them gets a mail of their own; what stays wrong
// is told again after a day.

import type { Tx } from '../../db/schema/schema.ts';
import { findMeta, setMeta } from '../../db/system/installation.ts';
import type { MetaKey } from '../../db/system/instants.ts';
import { listSystemAdministrators } from '../../db/users/users.ts';
import type { AlertTopic } from '../../mail/kinds/admin-alert.ts';
import type { Ctx } from '../context.ts';
import { queueMail } from '../outbox.ts';

const againAfterMs = 24 * 3_600_000;

/** Where in the console each of them is looked at. */
const places: Record<AlertTopic['topic'], string> = {
  'storage-full': '/storage',
  'storage-trouble': '/storage',
  'mail-waiting': '/mail',
  'mail-refused': '/mail',
  'jobs-failing': '/system',
  'erasing-paused': '/system',
  'clock-wrong': '/system',
  'backup-failed': '/system',
  'drill-failed': '/system',
};

/** False when they were told of the same within the last day; a higher level of the same is news. */
export async function alertAdministrators(ctx: Ctx, tx: Tx, alert: AlertTopic, level = ''): Promise<boolean> {
  const key: MetaKey = `alerted/${alert.topic}${level === '' ? '' : `/${level}`}`;
  const now = ctx.clock.now();
  const toldAt = Number((await findMeta(tx, key)) ?? Number.NEGATIVE_INFINITY);
  if (now - toldAt < againAfterMs) return false;
  await setMeta(tx, key, String(now));
  for (const { id, email } of await listSystemAdministrators(tx)) {
    await queueMail(ctx, tx, {
      kind: 'admin-alert',
      to: email,
      ownerId: id,
      payload: {
        reference: ctx.random.id(),
        ...alert,
        url: `${ctx.settings.surroundings.baseUrl}/app/admin${places[alert.topic]}`,
      },
    });
  }
  return true;
}
