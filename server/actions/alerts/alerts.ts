// Mails alerts to System Administrators, and repeats them daily.

import type { Tx } from '../../db/schema/schema.ts';
import { findMeta, setMeta } from '../../db/system/installation.ts';
import type { MetaKey } from '../../db/system/instants.ts';
import { listSystemAdministrators } from '../../db/users/users.ts';
import type { AlertTopic } from '../../mail/kinds/admin-alert.ts';
import type { Ctx } from '../context.ts';
import { queueMail } from '../outbox.ts';

const repeatAfterMs = 24 * 3_600_000;

/** Console page of each topic. */
const consolePaths: Record<AlertTopic['topic'], string> = {
  'storage-full': '/storage',
  'storage-trouble': '/storage',
  'mail-waiting': '/mail',
  'mail-refused': '/mail',
  'jobs-failing': '/system',
  'erasing-paused': '/system',
  'clock-wrong': '/system',
  'backup-failed': '/system',
  'drill-failed': '/system',
  'events-unsealed': '/system',
  'witness-failing': '/evidence',
  'stream-failing': '/webhooks',
  'certificate-expiring': '/system',
  'credential-ending': '/sign-in-services',
  'sync-stopped': '/sign-in-services',
  'webhook-off': '/webhooks',
};

/** False if the same alert and level was sent within a day. */
export async function alertAdministrators(ctx: Ctx, tx: Tx, alert: AlertTopic, level = ''): Promise<boolean> {
  const key: MetaKey = `alerted/${alert.topic}${level === '' ? '' : `/${level}`}`;
  const now = ctx.clock.now();
  const alertedAt = Number((await findMeta(tx, key)) ?? Number.NEGATIVE_INFINITY);
  if (now - alertedAt < repeatAfterMs) return false;
  await setMeta(tx, key, String(now));
  await mailAdministrators(ctx, tx, alert);
  return true;
}

export async function mailAdministrators(ctx: Ctx, tx: Tx, alert: AlertTopic): Promise<void> {
  for (const { id, email } of await listSystemAdministrators(tx)) {
    await queueMail(ctx, tx, {
      kind: 'admin-alert',
      to: email,
      ownerId: id,
      payload: {
        reference: ctx.random.id(),
        ...alert,
        url: `${ctx.settings.surroundings.baseUrl}/app/admin${consolePaths[alert.topic]}`,
      },
    });
  }
}
