// Signatures of Standard Webhooks 1.0.0.
import { createHmac } from 'node:crypto';

const prefix = 'whsec_';

/** `random`: 24 to 64 bytes. */
export function webhookSecret(random: Buffer): string {
  return `${prefix}${random.toString('base64')}`;
}

/** One signature for each secret, so that a receiver may hold either. */
export function signWebhook(
  secrets: readonly string[],
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') };
}
