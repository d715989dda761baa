// The facts of each kind of event: never a secret, a text or a file name. Other kinds have no facts.
type ToPerson = { recipient: string };
type Handed = { files: number; size: number };
/** Of a change by an administrator. */
type ByAdministrator = { from?: string; to?: string; reason?: string };
/** Ids of users. */
type HandedOver = { from: string; to: string; reason?: string };
/** None in events of earlier versions. `at_most`: where `bytes` is not certain to be all. */
type EndedRequest = {
  request?: number;
  from?: number;
  to?: number;
  taken?: number;
  total?: number;
  api_key?: string;
  proof_kind?: string;
  proof_id?: string;
  at_most?: number;
};
/** `recipient`: the address of a passkey without an account. */
type PasskeyFacts = { name: string; recipient?: string; reason?: string };
type MailFacts = ToPerson & { kind: string; words: string };

/** By the wire names of changed addresses. */
export type AddressChange = {
  addresses?: Record<string, { from: unknown; to: unknown }>;
  reason?: string;
};

/** `reason`: why it is unscannable. `signature`: name of the malware. */
type Scanned = { verdict: string; reason: string; signature: string };

type TaskFacts = { kind: string; total: number | null; done: number; failed: number };
/** By the wire names of changed settings. */
export type Changes = Record<string, { from: unknown; to: unknown }>;

export interface EventFacts {
  'message.sent': Handed & { recipients: number; authorization: number; mailed: boolean };
  'message.review_released': { reason: string };
  'message.review_refused': { reason: string };
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
  /** With the exposure (actions/messages/exposure.ts). */
  'message.wrong_recipient': ToPerson & Record<string, unknown>;
  'message.opened': ToPerson;
  'message.read': ToPerson;
  'message.expiry_told': { waiting: number };
  'mail.accepted': MailFacts;
  'mail.deferred': MailFacts;
  'mail.refused': MailFacts;
  'file.downloaded': ToPerson & { attachment: string; download: number };
  /** Of one request and file: `taken` of the body by this request, `bytes` of the file over all requests of the download. */
  'download.ended': ToPerson & {
    attachment: string;
    download: number;
    bytes: number;
    crashed?: boolean;
  } & EndedRequest;
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
  /** `filedrop`: the drop page of a function. */
  'filedrop.delivered': Handed & { request: string; confirmed: boolean; filedrop?: string };
  'filedrop.created': Record<string, unknown>;
  'filedrop.changed': Changes;
  'filedrop.deleted': Record<string, unknown>;
  'filedrop.discarded': Handed;
  'attachment.uploaded': { size: number; sha256: string };
  'attachment.processed': { sha256: string };
  /** `key`: commitment to the destroyed key (deletions.ts); empty if the key could not be unwrapped. */
  'attachment.erased': { key: string };
  'attachment.scanned': Scanned;
  'attachment.quarantined': Scanned;
  'attachment.released': { reason: string };
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
  /** One step of an erasure; `digest` covers the erased values (docs/trust/evidence.md). */
  'user.erased': { erasure: string; events: number; fields: number; digest: string };
  'user.language_changed': { language: string };
  'user.alias_asked': { address: string; reason: string };
  'user.client_key_renewed': { reason: string };
  'user.provisioned': { service: string; group: string; rule: string; confirmed: boolean };
  'user.group_mapped': { service: string; from: string; to: string; rule: string };
  'user.disabled_by_service': { service: string; reason: string };
  'user.enabled_by_service': { service: string };
  'user.signed_in': { service?: string };
  'user.logged_in': { way: 'api'; service?: string };
  'user.sign_in_failed': { failures: number };
  'user.sign_in_locked': { network: string; minutes: number };
  /** `reason`: code of the refusal. */
  'sign_in.refused': { reason: string };
  'identity.linked': { service: string; way: string; reason?: string };
  'identity.unlinked': { service: string; reason: string };
  'sign_in_service.created': { changes: Changes };
  'sign_in_service.changed': { changes: Changes };
  'sign_in_service.tested': { failed: string };
  'sign_in_service.synced': { outcome: string; note: string };
  'scim.changed': { change: string; name: string; reason?: string };
  'user.unlocked': { kind: string; network: string };
  /** Its password is accepted for so long, also if passwords are off. */
  'user.rescued': { hours: number };
  'password_sign_in.changed': { from: boolean; to: boolean };
  'security.changed': { console_networks: { from: string[]; to: string[] } };
  'profile.changed': { fields: string[]; address?: string };
  'password.changed': { way: 'account' | 'first_sign_in' | 'reset' | 'invitation'; sessions_ended?: number };
  'session.ended': { sessions: number };
  'totp.removed': { reason: string };
  'totp.recovery_code_used': { left: number };
  'passkey.created': PasskeyFacts;
  'passkey.used': PasskeyFacts;
  'passkey.renamed': PasskeyFacts;
  'passkey.removed': PasskeyFacts;
  'passkey.refused': PasskeyFacts;
  'api_key.read': { mode: string; reason: string };
  'api_key.replaced': { old: string; ended_now: boolean };
  'code.sent': ToPerson & { target: string };
  'address.proven': { target: string; address: string; proof_id: string };
  'group.created': Record<string, unknown>;
  'group.changed': Record<string, unknown>;
  'group.moved': { from: number; to: number };
  'mail.tested': ToPerson & { failed: string };
  'mail.settings_changed': { changes: Changes };
  'mail.retried': ToPerson & { kind: string; from: string };
  'mail.dropped': ToPerson & { kind: string; from: string };
  'scanner.settings_changed': { changes: Changes };
  'mail_template.changed': { parts: string[]; changes: Record<string, { from: unknown; to: unknown }> };
  'system.connection_tested': { failed: string[] };
  'maintenance.begun': { message: string; from: string };
  'maintenance.ended': { minutes: number };
  'job.run': { confirmed: boolean };
  'evidence.key_rotated': { old: string; key: string };
  'evidence.witness_added': { witness: string };
  'evidence.witness_removed': { witness: string };
  /** An older database was restored; `checkpoint` is the last one of the lost log. */
  /** `line`: number in the download log; 0 for the deletion of a file. */
  'evidence.contradiction': { line: number; field: string };
  'evidence.loss_accepted': { kept: number; lost: number; checkpoint: string; reason: string };
  'webhook.created': { host: string };
  'webhook.changed': { host: string };
  'webhook.deleted': { host: string };
  'webhook.secret_rotated': { host: string };
  'webhook.replayed': { host: string };
  'webhook.switched_off': { host: string; error: string };
  'branding.changed': { fields: string[]; changes: Record<string, { from: unknown; to: unknown }> };
  'branding.logo_changed': { variant: string } & Record<string, unknown>;
  'branding.logo_removed': { variant: string };
}
