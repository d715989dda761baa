// Webhooks and event streams.
import { listStreams, testStream } from '../../../actions/event-receivers/streams.ts';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  listWebhooks,
  replayWebhook,
  rotateWebhookSecret,
  testWebhook,
} from '../../../actions/event-receivers/webhooks.ts';
import { readPageMarker } from '../../../actions/listing.ts';
import { eventKinds } from '../../../domain/events.ts';
import type { Webhook } from '../../../domain/webhooks.ts';
import { writeCursor } from '../../../lib/cursor.ts';
import type { Serve } from '../../endpoint.ts';

export function serveWebhooks(serve: Serve): void {
  serve('listWebhooks', async ({ ctx, caller }) => ({
    webhooks: (await listWebhooks(ctx, caller)).map(shown),
    kinds: Object.keys(eventKinds),
  }));
  serve('createWebhook', async ({ ctx, caller, body }) => withSecret(await createWebhook(ctx, caller, body.webhook)));
  serve('getWebhook', async ({ ctx, caller, params }) => ({
    webhook: shown(await getWebhook(ctx, caller, params.id)),
  }));
  serve('changeWebhook', async ({ ctx, caller, params, body }) => ({
    webhook: shown(await changeWebhook(ctx, caller, params.id, body.webhook)),
  }));
  serve('deleteWebhook', ({ ctx, caller, params }) => deleteWebhook(ctx, caller, params.id));
  serve('testWebhook', async ({ ctx, caller, params }) => ({ test: await testWebhook(ctx, caller, params.id) }));
  serve('rotateWebhookSecret', async ({ ctx, caller, params }) =>
    withSecret(await rotateWebhookSecret(ctx, caller, params.id)),
  );
  serve('listWebhookDeliveries', async ({ ctx, caller, params, query: { after, size } }) => {
    const place = readPageMarker(after, ['number']);
    const page = { beforeNumber: place === null ? null : Number(place[0]), size };
    const { deliveries, next } = await listDeliveries(ctx, caller, params.id, page);
    return { deliveries, next: next === null ? null : writeCursor([next]) };
  });
  serve('replayWebhook', async ({ ctx, caller, params, body }) => ({
    webhook: shown(await replayWebhook(ctx, caller, params.id, body.replay.after)),
  }));
  serve('listEventStreams', async ({ ctx, caller }) => ({ streams: await listStreams(ctx, caller) }));
  serve('testEventStream', async ({ ctx, caller, params: { name } }) => ({
    test: await testStream(ctx, caller, name),
  }));
}

function shown(webhook: Webhook) {
  return { ...webhook, events: [...webhook.events], nextAttemptAt: webhook.nextAt === 0 ? null : webhook.nextAt };
}

function withSecret(webhook: Webhook) {
  return { webhook: shown(webhook), secret: webhook.secret };
}
