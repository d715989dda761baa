// Webhooks: their formats and when failed deliveries are repeated.
import { type eventKinds, isEventKind } from './events.ts';
import type { OutgoingEvent } from './outgoing-events.ts';

export const webhookFormats = ['standard', 'slack', 'teams', 'matrix'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];
/** `failed`: switched off because it failed for three days. */
export type WebhookState = 'on' | 'off' | 'failed';

export interface Webhook {
  id: string;
  url: string;
  host: string;
  events: readonly string[];
  format: WebhookFormat;
  state: WebhookState;
  secret: string;
  previousSecret: string | null;
  previousSecretEndsAt: number | null;
  generation: number;
  position: number;
  ahead: readonly number[];
  deliveries: number;
  attempts: number;
  firstFailedAt: number | null;
  nextAt: number;
  lastError: string;
  deliveredAt: number | null;
  createdAt: number;
  updatedAt: number;
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
export const secretOverlapMs = 24 * hourMs;
export const failingMs = 3 * 24 * hourMs;

/** After each failure in a row; the last one repeats. */
const delaysMs = [30 * secondMs, minuteMs, 2 * minuteMs, 5 * minuteMs, 10 * minuteMs, 30 * minuteMs, hourMs];

/** `attempts`: failures in a row, from 1. */
export function retryDelayMs(attempts: number): number {
  return delaysMs[Math.min(attempts, delaysMs.length) - 1] ?? delaysMs[0]!;
}

/** The first that is neither a kind of event nor `*`. */
export function unknownEvent(events: readonly string[]): string | null {
  return events.find((event) => event !== '*' && !isEventKind(event)) ?? null;
}

/** Null for all kinds. */
export function actionsOf(events: readonly string[]): (keyof typeof eventKinds)[] | null {
  return events.includes('*') ? null : events.filter(isEventKind);
}

function sentenceOf({ action, actor, actor_kind: kind, object_kind: object, object_id: id }: OutgoingEvent): string {
  const who = actor === null ? kind : actor.email || actor.id;
  return `${action}: ${object} ${id}, by ${who}`;
}

const escapeSlack = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const bodies: Record<WebhookFormat, (event: OutgoingEvent) => unknown> = {
  standard: (event) => ({ type: event.action, timestamp: event.at, data: event }),
  slack: (event) => ({ text: escapeSlack(sentenceOf(event)) }),
  teams: (event) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [{ type: 'TextBlock', text: sentenceOf(event), wrap: true }],
        },
      },
    ],
  }),
  matrix: (event) => ({ text: sentenceOf(event), username: 'Waybill' }),
};

export function webhookBody(format: WebhookFormat, event: OutgoingEvent): string {
  return JSON.stringify(bodies[format](event));
}

/** Equal in every attempt, so that receivers detect duplicates. */
export function deliveryId({ id, at }: Pick<OutgoingEvent, 'id' | 'at'>): string {
  return `evt_${id}_${Date.parse(at)}`;
}
