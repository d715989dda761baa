// The tables of webhooks and event streams. The conventions are those of schema.ts.
import type { WebhookFormat, WebhookState } from '../../domain/webhooks.ts';

/** Addresses outside that receive events. */
export interface WebhooksTable {
  id: string;
  /** Of the address, which may contain a secret. */
  host: string;
  address_sealed: Buffer;
  secret_sealed: Buffer;
  /** Signs too until it ends. */
  previous_secret_sealed: Buffer | null;
  previous_secret_ends_at: number | null;
  format: WebhookFormat;
  /** Kinds of events as a list; `*` stands for all. */
  events: string;
  state: WebhookState;
  /** Increases when a person changes it, so that a delivery in progress does not overwrite the change. */
  generation: number;
  /** All events up to this number are delivered. */
  position: number;
  /** Numbers of delivered events after the position, as JSON. */
  ahead: string;
  /** Attempts so far. */
  deliveries: number;
  /** Failed ones in a row; 0 after a success. */
  attempts: number;
  first_failed_at: number | null;
  /** Of the next attempt; 0 for immediately. */
  next_at: number;
  last_error: string;
  /** Of the last success. */
  delivered_at: number | null;
  /** The process that delivers. */
  lease_holder: string;
  lease_ends_at: number;
  created_at: number;
  updated_at: number;
}

/** The latest attempts of each webhook. */
export interface WebhookDeliveriesTable {
  webhook_id: string;
  /** From 1 for each webhook. */
  number: number;
  /** The event. */
  seq: number;
  action: string;
  at: number;
  took_ms: number;
  /** Null without an answer. */
  status: number | null;
  /** '' after a success. */
  error: string;
}

/** How far events were written to syslog and to the file. */
export interface EventStreamsTable {
  name: 'syslog' | 'file';
  /** All events up to this number are written. */
  position: number;
  attempts: number;
  first_failed_at: number | null;
  next_at: number;
  last_error: string;
  /** Of the last success. */
  delivered_at: number | null;
}
