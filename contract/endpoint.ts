// What one call of the HTTP API is: the shape of the endpoint lines that each noun's file ends with.
import type { z } from 'zod';

/** `read`: auditors too. `console`: administrators. `system`: System Administrators. `people`: those below one's own rank. */
export type Right =
  | 'console.read'
  | 'console.change'
  | 'people.add'
  | 'people.manage'
  | 'system.read'
  | 'system.change';

/** Lists of the console that show people or what they sent. */
export type ShownList =
  | 'people'
  | 'transfers'
  | 'downloads'
  | 'events'
  | 'mails'
  | 'holds'
  | 'statements'
  | 'locks'
  | 'quarantine'
  | 'search';

/** Marks automatic reads of the app, which do not extend a session. */
export const unattendedHeader = 'x-unattended';

/** The names of the parameters in a path. */
export type ParamsIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamsIn<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : Path extends `${string}*`
      ? '*'
      : never;

export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `:name` marks a parameter; a star at the end takes the rest, with its slashes. */
  path: string;
  tag: string;
  summary: string;
  /**
   * `key`: an API key, Basic or Bearer, or a session with its token. `none`: no credentials are read. `drop`: the key of a
   * drop page, or none. `key_or_drop`: as `key`, or the key of a drop page; the handler looks.
   */
  auth: 'key' | 'none' | 'drop' | 'key_or_drop';
  /**
   * What the role of the caller must permit; others are refused with 403 before anything else is read. Every call below
   * `/admin/` has one. Who holds which right: server/domain/roles.ts.
   */
  right?: Right;
  /** A list of people or of what they sent: reading it is an event, unless the same person read it a moment ago. */
  shows?: ShownList;
  /** What a session must send with its cookie: its token or, where browsers send no header, proof that our own page asks. */
  sessionProof?: 'token' | 'own_page';
  /** An automatic call, which does not extend the session. */
  isPassive?: boolean;
  /** Also for sessions of people who must choose another password first. */
  isOpenBeforePasswordChange?: boolean;
  query?: z.ZodType;
  /** A schema for JSON; `bytes` for a raw body that is never parsed; `form` for multipart. */
  body?: z.ZodType | 'bytes' | 'form';
  /** The JSON body may be large and is read as a stream by the handler. */
  isStreamed?: boolean;
  /**
   * A schema for JSON; `empty` for 200 without a body; `piece` for either; `id` for the bare id as text or JSON; `file`
   * for bytes; `events` for a stream of server-sent events.
   */
  answer: z.ZodType | 'empty' | 'piece' | 'id' | 'file' | 'events';
  /** With `dry_run` in its body it makes nothing and replies with `dryRunAnswer`. */
  dryRuns?: boolean;
  /** The specification says that any failure of this call is a 422, so a body that is not JSON is one too. */
  anyFailureIs422?: boolean;
  /**
   * Why fields that the body does not have are ignored; left out: they are refused by name. A dry run at a wrong place is
   * refused by every call.
   */
  toleratesUnknownFields?: string;
  /** Beyond the specification: `compatibility` for existing clients, `additive` for ours. */
  origin?: 'compatibility' | 'additive';
  /** Also for people who are no administrators while maintenance is on: signing in, and transfers that are running. */
  isOpenInMaintenance?: boolean;
  /** Without sign-in where the operator publishes the log (`WAYBILL_EVIDENCE_PUBLIC`). */
  isPublishable?: boolean;
  /** Accepts an Idempotency-Key header. */
  idempotent?: boolean;
}

export function define<const Definition extends Endpoint>(definition: Definition): Definition {
  return definition;
}

/** Reason of `toleratesUnknownFields`. */
export const calledByExistingClients =
  'Existing clients must work unchanged, and some send fields of other versions of the API.';

/** What every call of the web app has in common. */
export const appCall = { tag: 'App', auth: 'key', origin: 'additive' } as const;

/** What every call for administrators has in common. */
export const adminCall = { tag: 'Administration', auth: 'key' } as const;
