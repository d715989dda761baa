// Every kind of event. A kind does not compile without topics for open pages and a place in timelines here, and public
// facts for the evidence log in public-facts.ts.
import type { EventFacts } from './event-facts.ts';

export type ObjectKind =
  | 'message'
  | 'link'
  | 'request'
  | 'filedrop'
  | 'attachment'
  | 'user'
  | 'api_key'
  | 'group'
  | 'code'
  | 'passkey'
  | 'mail'
  | 'mail_template'
  | 'system'
  | 'job'
  | 'branding'
  | 'task'
  | 'statement'
  | 'webhook'
  | 'sign_in_service';

/** Filters of the timeline of a message. */
export const activityKinds = ['mail', 'download', 'access', 'change'] as const;
export type ActivityKind = (typeof activityKinds)[number];

/** Topics (contract/app/live.ts) that change for the owner, by what the event is about. */
type Topics = { readonly [Kind in ObjectKind]?: readonly string[] };

export type EventDefinition =
  | { about: Topics & { readonly message?: never } }
  | {
      about: Topics & { readonly message: readonly string[] };
      /** Null if no timeline shows it. */
      activity: ActivityKind | null;
      /** Topics of recipients change too. */
      reachesRecipients: boolean;
    };

const ofMessage = { message: ['messages'] } as const;
const ofLink = { link: ['links'] } as const;
const ofRequest = { request: ['requests'] } as const;
const ofUser = { user: ['me', 'account'] } as const;
const ofPasskey = { passkey: ['account'] } as const;
const ofKey = { api_key: ['account'] } as const;
const ofFiledrop = { user: ['me', 'account', 'drop'] } as const;
const ofMail = { message: ['messages'], request: ['requests'] } as const;
const ofTransfer = { message: ['messages', 'received'], link: ['links'], request: ['requests'] } as const;
const ofAttachment = { attachment: [] } as const;

export const eventKinds = {
  'message.sent': { about: ofMessage, activity: 'change', reachesRecipients: true },
  'message.expired': { about: ofMessage, activity: 'change', reachesRecipients: false },
  'message.review_requested': { about: ofMessage, activity: 'change', reachesRecipients: false },
  'message.review_released': { about: ofMessage, activity: 'change', reachesRecipients: true },
  'message.review_refused': { about: ofMessage, activity: 'change', reachesRecipients: false },
  'message.revoked': { about: ofMessage, activity: 'change', reachesRecipients: true },
  'message.files_deleted': { about: ofMessage, activity: 'change', reachesRecipients: true },
  'message.file_removed': { about: ofMessage, activity: 'change', reachesRecipients: true },
  'message.extended': { about: ofMessage, activity: 'change', reachesRecipients: true },
  'message.downloads_allowed': { about: ofMessage, activity: 'change', reachesRecipients: false },
  'message.reminded': { about: ofMessage, activity: 'change', reachesRecipients: false },
  'message.resent': { about: ofMessage, activity: 'change', reachesRecipients: false },
  'message.recipient_added': { about: ofMessage, activity: 'change', reachesRecipients: true },
  'message.recipient_corrected': { about: ofMessage, activity: 'change', reachesRecipients: true },
  'message.recipient_revoked': { about: ofMessage, activity: 'change', reachesRecipients: true },
  'message.wrong_recipient': { about: ofMessage, activity: 'change', reachesRecipients: false },
  'message.opened': { about: ofMessage, activity: 'access', reachesRecipients: false },
  'message.read': { about: ofMessage, activity: 'access', reachesRecipients: false },
  'message.expiry_told': { about: ofMessage, activity: null, reachesRecipients: false },
  'mail.accepted': { about: ofMail, activity: 'mail', reachesRecipients: false },
  'mail.deferred': { about: ofMail, activity: 'mail', reachesRecipients: false },
  'mail.refused': { about: ofMail, activity: 'mail', reachesRecipients: false },
  'file.downloaded': {
    about: { message: ['messages', 'downloads'], link: ['links', 'downloads'] },
    activity: 'download',
    reachesRecipients: false,
  },

  /** Bytes sent when a request ended; the last one counts. */
  'download.ended': { about: { message: [], link: [] }, activity: null, reachesRecipients: false },

  'link.created': { about: ofLink },
  'link.changed': { about: ofLink },
  'link.deleted': { about: ofLink },
  'link.expired': { about: ofLink },

  'request.created': { about: ofRequest },
  'request.reminded': { about: ofRequest },
  'request.closed': { about: ofRequest },
  'request.extended': { about: ofRequest },
  'request.reopened': { about: ofRequest },
  'request.answered': { about: { message: ['received', 'requests'] }, activity: null, reachesRecipients: false },
  'filedrop.delivered': {
    about: { message: ['received', 'requests', 'drop'] },
    activity: null,
    reachesRecipients: true,
  },
  'filedrop.created': { about: { filedrop: [] } },
  'filedrop.changed': { about: { filedrop: [] } },
  'filedrop.deleted': { about: { filedrop: [] } },
  'filedrop.discarded': { about: { filedrop: ['drop'] } },
  'filedrop.opened': { about: ofFiledrop },
  'filedrop.closed': { about: ofFiledrop },
  'filedrop.reset': { about: ofFiledrop },

  'transfer.handed_over': { about: ofTransfer, activity: null, reachesRecipients: false },
  'transfer.taken_over': { about: ofTransfer, activity: null, reachesRecipients: false },
  'hand_over.confirmation_requested': { about: { user: [] } },
  'hand_over.confirmed': { about: { user: [] } },
  'transfer.subject_read': { about: { message: [], link: [], request: [] }, activity: null, reachesRecipients: false },
  // Views by administrators and auditors (actions/audit/views.ts).
  'transfer.viewed': { about: { message: [], link: [], request: [] }, activity: null, reachesRecipients: false },
  'receipt.viewed': {
    about: { message: [], link: [], request: [], attachment: [] },
    activity: null,
    reachesRecipients: false,
  },
  'statement.viewed': { about: { statement: [] } },
  'user.viewed': { about: { user: [] } },
  'list.viewed': { about: { system: [] } },
  'list.exported': { about: { system: [] } },
  'task.started': { about: { task: [] } },
  'task.stopped': { about: { task: [] } },
  'task.finished': { about: { task: [] } },

  'attachment.uploaded': { about: ofAttachment },
  'attachment.processed': { about: ofAttachment },
  'attachment.erased': { about: ofAttachment },
  /** Deleted or expired, but retained by a legal hold. */
  'attachment.kept_on_hold': { about: ofAttachment },
  'upload.stopped': { about: ofAttachment },
  'download.stopped': {
    about: { message: ['downloads'], link: ['downloads'] },
    activity: null,
    reachesRecipients: false,
  },
  'attachment.damaged': { about: ofAttachment },
  'attachment.mended': { about: ofAttachment },
  /** The virus scanner gave a verdict that permits it. */
  'attachment.scanned': { about: ofAttachment },
  'attachment.quarantined': { about: ofAttachment },
  'attachment.released': { about: ofAttachment },

  'user.created': { about: ofUser },
  'user.changed': { about: ofUser },
  'user.invited': { about: ofUser },
  'user.deleted': { about: ofUser },
  'user.left': { about: ofUser },
  // Not about the user, who is erased.
  'user.erased': { about: { system: [] } },
  'user.address_confirmed': { about: ofUser },
  'user.language_changed': { about: ofUser },
  'user.alias_asked': { about: ofUser },
  'user.client_key_renewed': { about: ofUser },
  'user.exported': { about: ofUser },
  'user.provisioned': { about: ofUser },
  'user.group_mapped': { about: ofUser },
  'user.disabled_by_service': { about: ofUser },
  'user.enabled_by_service': { about: ofUser },
  'user.signed_in': { about: ofUser },
  'user.logged_in': { about: ofUser },
  'user.sign_in_failed': { about: ofUser },
  'user.sign_in_locked': { about: ofUser },
  'sign_in.refused': { about: { sign_in_service: [] } },
  'identity.linked': { about: ofUser },
  'identity.unlinked': { about: ofUser },
  'sign_in_service.created': { about: { sign_in_service: [] } },
  'sign_in_service.changed': { about: { sign_in_service: [] } },
  'sign_in_service.deleted': { about: { sign_in_service: [] } },
  'sign_in_service.tested': { about: { sign_in_service: [] } },
  'sign_in_service.synced': { about: { sign_in_service: [] } },
  'scim.changed': { about: { sign_in_service: [] } },
  'user.unlocked': { about: ofUser },
  'user.rescued': { about: ofUser },
  'password_sign_in.changed': { about: { system: [] } },
  'security.changed': { about: { system: [] } },
  'profile.changed': { about: ofUser },
  'password.changed': { about: ofUser },
  'password.reset_asked': { about: ofUser },
  'session.ended': { about: ofUser },
  'totp.switched_on': { about: ofUser },
  'totp.switched_off': { about: ofUser },
  'totp.removed': { about: ofUser },
  'totp.recovery_codes_created': { about: ofUser },
  'totp.recovery_code_used': { about: ofUser },
  'session.browser_remembered': { about: ofUser },
  'session.browser_forgotten': { about: ofUser },
  'passkey.created': { about: ofPasskey },
  'passkey.used': { about: ofPasskey },
  'passkey.renamed': { about: ofPasskey },
  'passkey.removed': { about: ofPasskey },
  'passkey.refused': { about: ofPasskey },
  'api_key.read': { about: ofUser },
  'api_key.created': { about: ofKey },
  'api_key.replaced': { about: ofKey },
  'api_key.revoked': { about: ofKey },
  'api_key.shown': { about: ofKey },
  'code.sent': { about: { code: [] } },
  'address.proven': { about: { code: [], passkey: [] } },

  'hold.set': { about: { user: [], message: [], link: [], request: [] }, activity: null, reachesRecipients: false },
  'hold.lifted': { about: { user: [], message: [], link: [], request: [] }, activity: null, reachesRecipients: false },
  'statement.made': { about: { statement: [] } },
  'installation.set_up': { about: ofUser },
  'group.created': { about: { group: [] } },
  'group.changed': { about: { group: [] } },
  'group.deleted': { about: { group: [] } },
  'group.moved': { about: { group: [] } },
  'mail.tested': { about: { mail: [] } },
  'mail.settings_changed': { about: { mail: [] } },
  'mail.retried': { about: { mail: [] } },
  'mail.dropped': { about: { mail: [] } },
  'scanner.settings_changed': { about: { system: [] } },
  'mail_template.changed': { about: { mail_template: [] } },
  'system.connection_tested': { about: { system: [] } },
  'maintenance.begun': { about: { system: [] } },
  'maintenance.ended': { about: { system: [] } },
  'job.run': { about: { job: [] } },
  'evidence.key_rotated': { about: { system: [] } },
  'evidence.witness_added': { about: { system: [] } },
  'evidence.witness_removed': { about: { system: [] } },
  'evidence.loss_accepted': { about: { system: [] } },
  /** A receipt or statement was refused: a row contradicts the recorded events. */
  'evidence.contradiction': {
    about: { message: [], link: [], request: [], attachment: [] },
    activity: null,
    reachesRecipients: false,
  },
  'webhook.created': { about: { webhook: [] } },
  'webhook.changed': { about: { webhook: [] } },
  'webhook.deleted': { about: { webhook: [] } },
  'webhook.secret_rotated': { about: { webhook: [] } },
  'webhook.replayed': { about: { webhook: [] } },
  'webhook.switched_off': { about: { webhook: [] } },
  'branding.changed': { about: { branding: [] } },
  'branding.logo_changed': { about: { branding: [] } },
  'branding.logo_removed': { about: { branding: [] } },
} as const satisfies Record<string, EventDefinition>;

export type EventKind = keyof typeof eventKinds;

type About<Kind extends EventKind> = (typeof eventKinds)[Kind]['about'];

export const objectKinds: readonly string[] = [
  ...new Set(Object.values(eventKinds).flatMap(({ about }) => Object.keys(about))),
];

export type ObjectOf<Kind extends EventKind> = keyof About<Kind>;

type TopicIn<Value> = Value extends readonly (infer Topic)[] ? Topic : never;

export type EventTopic = { [Kind in EventKind]: TopicIn<About<Kind>[ObjectOf<Kind>]> }[EventKind];

/** Kinds in the timeline of a message. */
export type ActivityAction = {
  [Kind in EventKind]: (typeof eventKinds)[Kind] extends { activity: ActivityKind } ? Kind : never;
}[EventKind];

/** Lists of the console whose views are recorded; contract/endpoint.ts has their wire names. */
export type ShownList =
  | 'people'
  | 'transfers'
  | 'running'
  | 'downloads'
  | 'events'
  | 'mails'
  | 'holds'
  | 'statements'
  | 'locks'
  | 'quarantine'
  | 'search';

/** Kinds that record a view. */
export const viewKinds: readonly EventKind[] = [
  'transfer.viewed',
  'receipt.viewed',
  'statement.viewed',
  'user.viewed',
  'list.viewed',
];

export type Happening = {
  [Kind in EventKind]: {
    action: Kind;
    object: { kind: ObjectOf<Kind>; id: string };
    /** Empty for events of the installation. */
    ownerId: string;
  } & (Kind extends keyof EventFacts ? FactsOf<EventFacts[Kind]> : { facts?: never });
}[EventKind];

type FactsOf<Facts> = Partial<Facts> extends Facts ? { facts?: Facts } : { facts: Facts };

/** The event log may contain kinds that no longer exist. */
export function isEventKind(action: string): action is EventKind {
  return Object.hasOwn(eventKinds, action);
}

export function topicsOf(event: { action: string; objectKind: string }): EventTopic[] {
  if (!isEventKind(event.action)) return [];
  const about: { readonly [kind: string]: readonly EventTopic[] } = eventKinds[event.action].about;
  return [...(about[event.objectKind] ?? [])];
}

function definitionOf(action: string): Extract<EventDefinition, { activity: unknown }> | null {
  const definition: EventDefinition | null = isEventKind(action) ? eventKinds[action] : null;
  return definition !== null && 'activity' in definition ? definition : null;
}

export function reachesRecipients(action: string): boolean {
  return definitionOf(action)?.reachesRecipients ?? false;
}

export function activityOf(action: string): ActivityKind | null {
  return definitionOf(action)?.activity ?? null;
}

/** Null for all filters. */
export function activityActions(kind: ActivityKind | null): ActivityAction[] {
  const all = Object.keys(eventKinds).filter((action) => activityOf(action) !== null) as ActivityAction[];
  return kind === null ? all : all.filter((action) => activityOf(action) === kind);
}
