// One request to the address of a webhook.
import type { OutgoingEvent } from '../../domain/outgoing-events.ts';
import { deliveryId, type Webhook, webhookBody } from '../../domain/webhooks.ts';
import { post } from '../../lib/https-post.ts';
import { AddressRefused, resolveOutbound } from '../../lib/outbound-address.ts';
import { signWebhook } from '../../lib/standard-webhooks.ts';
import type { Ctx } from '../context.ts';

const timeoutMs = 15_000;

export interface Posted {
  /** Null without an answer. */
  status: number | null;
  /** '' after a success. */
  error: string;
  tookMs: number;
}

/** Never rejects. */
export async function postEvent(
  ctx: Ctx,
  webhook: Webhook,
  event: OutgoingEvent,
  signal?: AbortSignal,
): Promise<Posted> {
  const begunAt = ctx.clock.uptime();
  const took = () => Math.max(0, Math.round(ctx.clock.uptime() - begunAt));
  try {
    const url = new URL(webhook.url);
    const address = await resolveOutbound(url, ctx.settings.surroundings.eventReceivers.webhookNetworks);
    const body = webhookBody(webhook.format, event);
    const headers = { 'content-type': 'application/json', ...signatureOf(ctx, webhook, event, body) };
    const { status } = await post(url, {
      headers: { ...headers, 'user-agent': 'Waybill' },
      body,
      timeoutMs,
      address,
      ...(signal === undefined ? {} : { signal }),
    });
    return { status, error: status >= 200 && status < 300 ? '' : answerOf(status), tookMs: took() };
  } catch (error) {
    return { status: null, error: reasonOf(error), tookMs: took() };
  }
}

/** Chat services check no signature. */
function signatureOf(ctx: Ctx, webhook: Webhook, event: OutgoingEvent, body: string): Record<string, string> {
  if (webhook.format !== 'standard') return {};
  const now = ctx.clock.now();
  const { previousSecret, previousSecretEndsAt } = webhook;
  const isOverlapping = previousSecret !== null && (previousSecretEndsAt ?? 0) > now;
  const secrets = isOverlapping ? [webhook.secret, previousSecret] : [webhook.secret];
  return signWebhook(secrets, { id: deliveryId(event), timestamp: Math.floor(now / 1000), body });
}

function answerOf(status: number): string {
  return status >= 300 && status < 400
    ? `the answer was ${status}; redirects are not followed`
    : `the answer was ${status}`;
}

function reasonOf(error: unknown): string {
  if (error instanceof AddressRefused) return error.message;
  const { code, message } = error as Error & { code?: string };
  return (message || code || String(error)).slice(0, 300);
}
