// Every kind of event there is: what it is about, which screens of its owner it makes stale, and where else it shows.
// The audit log keeps all of them; timelines and live news read what they need from this list. A kind without a decision
// about topics does not compile.

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
  | 'mail'
  | 'mail_template'
  | 'system'
  | 'job'
  | 'branding'
  | 'task'
  | 'statement';

/** The filters of a message's timeline. */
export const activityKinds = ['mail', 'download', 'access', 'change'] as const;
export type ActivityKind = (typeof activityKinds)[number];

export interface EventDefinition {
  /**
   * What the event can be about, and for each the topics its owner's screens read again. The names of topics are those of
   * contract/app/live.ts; others do not compile where they are sent (http/live/live.ts).
   */
  about: { readonly [Kind in ObjectKind]?: readonly string[] };
  /** Part of the timeline of its message, under this filter. */
  activity?: ActivityKind;
  /** People who received the message see something new too. */
  reachesRecipients?: true;
}

const ofMessage = { message: ['messages'] } as const;
const ofLink = { link: ['links'] } as const;
const ofRequest = { request: ['requests'] } as const;
const ofUser = { user: ['me', 'account'] } as const;
const ofKey = { api_key: ['account'] } as const;
const ofFiledrop = { user: ['me', 'account', 'drop'] } as const;
const ofMail = { message: ['messages'], request: ['requests'] } as const;
const ofTransfer = { message: ['messages', 'received'], link: ['links'], request: ['requests'] } as const;
const ofAttachment = { attachment: [] } as const;

export const eventKinds = {
  'message.sent': { about: ofMessage, activity: 'change', reachesRecipients: true },
  'message.expired': { about: ofMessage, activity: 'change' },
  'message.revoked': { about: ofMessage, activity: 'change', reachesRecipients: true },
  'message.files_deleted': { about: ofMessage, activity: 'change', reachesRecipients: true },
  'message.file_removed': { about: ofMessage, activity: 'change', reachesRecipients: true },
  'message.extended': { about: ofMessage, activity: 'change', reachesRecipients: true },
  'message.downloads_allowed': { about: ofMessage, activity: 'change' },
  'message.reminded': { about: ofMessage, activity: 'change' },
  'message.resent': { about: ofMessage, activity: 'change' },
  'message.recipient_added': { about: ofMessage, activity: 'change', reachesRecipients: true },
  'message.recipient_corrected': { about: ofMessage, activity: 'change', reachesRecipients: true },
  'message.recipient_revoked': { about: ofMessage, activity: 'change', reachesRecipients: true },
  'message.wrong_recipient': { about: ofMessage, activity: 'change' },
  'message.opened': { about: ofMessage, activity: 'access' },
  'message.read': { about: ofMessage, activity: 'access' },
  'message.expiry_told': { about: ofMessage },
  'mail.accepted': { about: ofMail, activity: 'mail' },
  'mail.deferred': { about: ofMail, activity: 'mail' },
  'mail.refused': { about: ofMail, activity: 'mail' },
  'file.downloaded': {
    about: { message: ['messages', 'downloads'], link: ['links', 'downloads'] },
    activity: 'download',
  },

  /** What of a file has left when a request for it ended: the last one counts. */
  'download.ended': { about: { message: [], link: [] } },

  'link.created': { about: ofLink },
  'link.changed': { about: ofLink },
  'link.deleted': { about: ofLink },
  'link.expired': { about: ofLink },

  'request.created': { about: ofRequest },
  'request.reminded': { about: ofRequest },
  'request.closed': { about: ofRequest },
  'request.extended': { about: ofRequest },
  'request.reopened': { about: ofRequest },
  'request.answered': { about: { message: ['received', 'requests'] } },
  'filedrop.delivered': { about: { message: ['received', 'requests', 'drop'] }, reachesRecipients: true },
  'filedrop.created': { about: { filedrop: [] } },
  'filedrop.changed': { about: { filedrop: [] } },
  'filedrop.deleted': { about: { filedrop: [] } },
  'filedrop.discarded': { about: { filedrop: ['drop'] } },
  'filedrop.opened': { about: ofFiledrop },
  'filedrop.closed': { about: ofFiledrop },
  'filedrop.reset': { about: ofFiledrop },

  'transfer.handed_over': { about: ofTransfer },
  'transfer.taken_over': { about: ofTransfer },
  'hand_over.confirmation_requested': { about: { user: [] } },
  'hand_over.confirmed': { about: { user: [] } },
  'transfer.subject_read': { about: { message: [], link: [], request: [] } },
  // Reading, by administrators and auditors (actions/audit/views.ts).
  'transfer.viewed': { about: { message: [], link: [], request: [] } },
  'receipt.viewed': { about: { message: [], link: [], request: [], attachment: [] } },
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
  /** Its owner deleted it, or its time was over, and a legal hold keeps it. */
  'attachment.kept_on_hold': { about: ofAttachment },
  'upload.stopped': { about: ofAttachment },
  'download.stopped': { about: { message: ['downloads'], link: ['downloads'] } },
  'attachment.damaged': { about: ofAttachment },
  'attachment.mended': { about: ofAttachment },

  'user.created': { about: ofUser },
  'user.changed': { about: ofUser },
  'user.invited': { about: ofUser },
  'user.deleted': { about: ofUser },
  'user.left': { about: ofUser },
  // Not about the person: nothing of them is left.
  'user.erased': { about: { system: [] } },
  'user.address_confirmed': { about: ofUser },
  'user.language_changed': { about: ofUser },
  'user.alias_asked': { about: ofUser },
  'user.client_key_renewed': { about: ofUser },
  'user.exported': { about: ofUser },
  'user.signed_in': { about: ofUser },
  'user.logged_in': { about: ofUser },
  'user.sign_in_failed': { about: ofUser },
  'user.sign_in_locked': { about: ofUser },
  'user.unlocked': { about: ofUser },
  'security.changed': { about: { system: [] } },
  'profile.changed': { about: ofUser },
  'password.changed': { about: ofUser },
  'password.reset_asked': { about: ofUser },
  'session.ended': { about: ofUser },
  'totp.switched_on': { about: ofUser },
  'totp.switched_off': { about: ofUser },
  'totp.removed': { about: ofUser },
  'api_key.read': { about: ofUser },
  'api_key.created': { about: ofKey },
  'api_key.replaced': { about: ofKey },
  'api_key.revoked': { about: ofKey },
  'api_key.shown': { about: ofKey },
  'code.sent': { about: { code: [] } },
  'address.proven': { about: { code: [] } },

  'hold.set': { about: { user: [], message: [], link: [], request: [] } },
  'hold.lifted': { about: { user: [], message: [], link: [], request: [] } },
  'statement.made': { about: { statement: [] } },
  'installation.set_up': { about: ofUser },
  'group.created': { about: { group: [] } },
  'group.changed': { about: { group: [] } },
  'group.deleted': { about: { group: [] } },
  'group.moved': { about: { group: [] } },
  'mail.tested': { about: { mail: [] } },
  'mail.retried': { about: { mail: [] } },
  'mail.dropped': { about: { mail: [] } },
  'mail_template.changed': { about: { mail_template: [] } },
  'system.connection_tested': { about: { system: [] } },
  'maintenance.begun': { about: { system: [] } },
  'maintenance.ended': { about: { system: [] } },
  'job.run': { about: { job: [] } },
  'evidence.key_rotated': { about: { system: [] } },
  'evidence.witness_added': { about: { system: [] } },
  'evidence.witness_removed': { about: { system: [] } },
  'evidence.loss_accepted': { about: { system: [] } },
  'branding.changed': { about: { branding: [] } },
  'branding.logo_changed': { about: { branding: [] } },
  'branding.logo_removed': { about: { branding: [] } },
} as const satisfies Record<string, EventDefinition>;

export type EventKind = keyof typeof eventKinds;

type About<Kind extends EventKind> = (typeof eventKinds)[Kind]['about'];

/** Everything that events can be about. */
export const objectKinds: readonly string[] = [
  ...new Set(Object.values(eventKinds).flatMap(({ about }) => Object.keys(about))),
];

/** What an event of this kind can be about. */
export type ObjectOf<Kind extends EventKind> = keyof About<Kind>;

type TopicIn<Value> = Value extends readonly (infer Topic)[] ? Topic : never;

/** The topics that events of all kinds touch. */
export type EventTopic = { [Kind in EventKind]: TopicIn<About<Kind>[ObjectOf<Kind>]> }[EventKind];

/** The kinds that a message's timeline shows. */
export type ActivityAction = {
  [Kind in EventKind]: (typeof eventKinds)[Kind] extends { activity: ActivityKind } ? Kind : never;
}[EventKind];

type ToPerson = { recipient: string };
type Handed = { files: number; size: number };
/** An administrator changed another person's transfer: old and new value, and the reason. */
type ByAdministrator = { from?: string; to?: string; reason?: string };
/** Ids of the two people. */
type HandedOver = { from: string; to: string; reason?: string };
type MailFacts = ToPerson & { kind: string; words: string };

/** Old and new value of each kind of address that changed, by its wire name, and the reason given for it. */
export type AddressChange = {
  addresses?: Record<string, { from: unknown; to: unknown }>;
  reason?: string;
};

type TaskFacts = { kind: string; total: number | null; done: number; failed: number };
/** Old and new value of each setting that changed, by its wire name. */
export type Changes = Record<string, { from: unknown; to: unknown }>;

/** What is kept with an event; the kinds that are not here keep nothing more. Never a secret, a text or a file name. */
export interface EventFacts {
  'message.sent': Handed & { recipients: number; authorization: number; mailed: boolean };
  'message.revoked': ByAdministrator;
  'link.deleted': ByAdministrator;
  'request.closed': ByAdministrator;
  'transfer.handed_over': HandedOver;
  'transfer.taken_over': HandedOver;
  'transfer.subject_read': { reason: string };
  'hand_over.confirmation_requested': { confirmation: string; reason: string };
  'hand_over.confirmed': { confirmation: string; asked_by: string };
  'list.viewed': { filter?: Readonly<Record<string, unknown>> };
  'list.exported': { filter?: Readonly<Record<string, unknown>> };
  'task.started': { kind: string } & Record<string, unknown>;
  'task.stopped': TaskFacts;
  'task.finished': TaskFacts;
  'message.file_removed': { attachment: string; size: number };
  'message.extended': { from: string; to: string; reason?: string };
  'message.downloads_allowed': { limit: number | null; recipient?: string };
  'message.reminded': ToPerson;
  'message.resent': ToPerson;
  'message.recipient_added': ToPerson & { role: string; mailed: boolean };
  'message.recipient_corrected': ToPerson & { to: string; mailed: boolean };
  'message.recipient_revoked': ToPerson;
  /** With everything the person was exposed to (actions/messages/exposure.ts). */
  'message.wrong_recipient': ToPerson & Record<string, unknown>;
  'message.opened': ToPerson;
  'message.read': ToPerson;
  'message.expiry_told': { waiting: number };
  'mail.accepted': MailFacts;
  'mail.deferred': MailFacts;
  'mail.refused': MailFacts;
  'file.downloaded': ToPerson & { attachment: string; download: number };
  'download.ended': ToPerson & { attachment: string; download: number; bytes: number; crashed?: boolean };
  'link.created': { attachment: string; expires: string; password: boolean; sign_in: boolean };
  'link.changed':
    | { expires: string; from?: string; reason?: string }
    | { password: boolean }
    | { receipts: boolean }
    | { sign_in: boolean };
  'request.created': ToPerson & { mailed: boolean };
  'request.reminded': ToPerson;
  'request.extended': { expires: string; from?: string; reason?: string };
  'request.reopened': { expires: string; from?: string; mailed: boolean };
  'request.answered': Handed & { request: string; confirmed: boolean };
  /** `filedrop`: the page of a function where it was handed in. */
  'filedrop.delivered': Handed & { request: string; confirmed: boolean; filedrop?: string };
  'filedrop.created': Record<string, unknown>;
  'filedrop.changed': Changes;
  'filedrop.deleted': Record<string, unknown>;
  'filedrop.discarded': Handed;
  'attachment.uploaded': { size: number; sha256: string };
  'attachment.processed': { sha256: string };
  'upload.stopped': { size: number };
  'download.stopped': ToPerson & { download: number };
  'user.created': AddressChange & { group: string; group_chosen: boolean; invited: boolean };
  'user.changed': AddressChange & { changed: string[]; group: string; changes: Changes };
  'user.invited': ToPerson;
  'user.address_confirmed': { address: string; way: 'code' | 'link' };
  'user.deleted': { why: string; reason?: string };
  'user.left': { statement: string; hand_over_to: string; reason: string };
  'hold.set': { hold: string; reason: string };
  'hold.lifted': { hold: string; reason: string };
  'statement.made': { kind: string; sha256: string };
  /** One step of an erasure; `digest` is over what it blanked (docs/evidence.md). */
  'user.erased': { erasure: string; events: number; fields: number; digest: string };
  'user.language_changed': { language: string };
  'user.alias_asked': { address: string; reason: string };
  'user.client_key_renewed': { reason: string };
  'user.logged_in': { way: 'api' };
  'user.sign_in_failed': { failures: number };
  'user.sign_in_locked': { network: string; minutes: number };
  'user.unlocked': { kind: string; network: string };
  'security.changed': { console_networks: { from: string[]; to: string[] } };
  'profile.changed': { fields: string[]; address?: string };
  'password.changed': { way: 'account' | 'first_sign_in' | 'reset' | 'invitation'; sessions_ended?: number };
  'session.ended': { sessions: number };
  'totp.removed': { reason: string };
  'api_key.read': { mode: string; reason: string };
  'api_key.replaced': { old: string; ended_now: boolean };
  'code.sent': { target: string };
  'address.proven': { target: string; address: string };
  'group.created': Record<string, unknown>;
  'group.changed': Record<string, unknown>;
  'group.moved': { from: number; to: number };
  'mail.tested': ToPerson & { failed: string };
  'mail.retried': ToPerson & { kind: string; from: string };
  'mail.dropped': ToPerson & { kind: string; from: string };
  'mail_template.changed': { parts: string[]; changes: Record<string, { from: unknown; to: unknown }> };
  'system.connection_tested': { failed: string[] };
  'maintenance.begun': { message: string; from: string };
  'maintenance.ended': { minutes: number };
  'job.run': { confirmed: boolean };
  'evidence.key_rotated': { old: string; key: string };
  'evidence.witness_added': { witness: string };
  'evidence.witness_removed': { witness: string };
  /** An older database was put in place; `checkpoint` is the last one of the log that was lost. */
  'evidence.loss_accepted': { kept: number; lost: number; checkpoint: string; reason: string };
  'branding.changed': { fields: string[]; changes: Record<string, { from: unknown; to: unknown }> };
  'branding.logo_changed': { variant: string } & Record<string, unknown>;
  'branding.logo_removed': { variant: string };
}

/** Lists of the console that show people or what they sent; contract/endpoint.ts names them on the wire. */
export type ShownList =
  | 'people'
  | 'transfers'
  | 'running'
  | 'downloads'
  | 'events'
  | 'mails'
  | 'holds'
  | 'statements'
  | 'locks';

/** Kinds that record a look and change nothing. */
export const viewKinds: readonly EventKind[] = [
  'transfer.viewed',
  'receipt.viewed',
  'statement.viewed',
  'user.viewed',
  'list.viewed',
];

/** One thing that happened, as actions record it. */
export type Happening = {
  [Kind in EventKind]: {
    action: Kind;
    object: { kind: ObjectOf<Kind>; id: string };
    /** Whose timeline and screens it belongs to; '' for the installation's own. */
    ownerId: string;
  } & (Kind extends keyof EventFacts ? FactsOf<EventFacts[Kind]> : { facts?: never });
}[EventKind];

/** Facts that are all optional may be left out. */
type FactsOf<Facts> = Partial<Facts> extends Facts ? { facts?: Facts } : { facts: Facts };

/** The audit log may contain kinds that no longer exist. */
export function isEventKind(action: string): action is EventKind {
  return Object.hasOwn(eventKinds, action);
}

/** The topics an event touches for its owner; none for a kind that no longer exists. */
export function topicsOf(event: { action: string; objectKind: string }): EventTopic[] {
  if (!isEventKind(event.action)) return [];
  const about: { readonly [kind: string]: readonly EventTopic[] } = eventKinds[event.action].about;
  return [...(about[event.objectKind] ?? [])];
}

export function reachesRecipients(action: string): boolean {
  return isEventKind(action) && 'reachesRecipients' in eventKinds[action];
}

/** Under which filter of a timeline an event is; null for one that is in none. */
export function activityOf(action: string): ActivityKind | null {
  if (!isEventKind(action)) return null;
  const definition: EventDefinition = eventKinds[action];
  return definition.activity ?? null;
}

/** The kinds of one filter, or of all of them. */
export function activityActions(kind: ActivityKind | null): ActivityAction[] {
  const all = Object.keys(eventKinds).filter((action) => activityOf(action) !== null) as ActivityAction[];
  return kind === null ? all : all.filter((action) => activityOf(action) === kind);
}
