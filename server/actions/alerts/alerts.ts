// Tells System Administrators by mail that something needs them. Each of them gets a mail of their own; what stays wrong
// is told again after a day.
import { findMeta, setMeta } from '../../db/installation.ts';
import type { Tx } from '../../db/schema.ts';
import { listSystemAdministrators } from '../../db/users.ts';
import type { AlertTopic } from '../../mail/kinds/admin-alert.ts';
import type { Ctx } from '../context.ts';
import { queueMail } from '../outbox.ts';

const againAfterMs = 24 * 3_600_000;

/** False when they were told of the same within the last day. */
export async function alertAdministrators(ctx: Ctx, tx: Tx, alert: AlertTopic): Promise<boolean> {
  const key = `alerted/${alert.topic}`;
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
        url: `${ctx.settings.surroundings.baseUrl}/app/admin`,
      },
    });
  }
  return true;
}
