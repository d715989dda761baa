// Facts of events that are readable in the evidence log: numbers, booleans, dates and our own constants. Everything
// else is a salted hash, as are actor, object, owner, IP address and request. Unlisted facts are hidden, so that a new
// one reveals nothing by accident.
import type { EventFacts } from './events.ts';

type NameOf<Facts> = Facts extends unknown ? keyof Facts : never;
type PublicFacts = { readonly [Kind in keyof EventFacts]?: readonly NameOf<EventFacts[Kind]>[] };

const handed = ['files', 'size'] as const;
const task = ['kind', 'total', 'done', 'failed'] as const;

const publicFacts: PublicFacts = {
  'message.sent': [...handed, 'recipients', 'authorization', 'mailed'],
  'message.file_removed': ['size'],
  'message.extended': ['from', 'to'],
  'message.downloads_allowed': ['limit'],
  'message.recipient_added': ['role', 'mailed'],
  'message.recipient_corrected': ['mailed'],
  'message.expiry_told': ['waiting'],
  'mail.accepted': ['kind'],
  'mail.deferred': ['kind'],
  'mail.refused': ['kind'],
  'file.downloaded': ['download'],
  'download.ended': ['download', 'bytes', 'crashed'],
  'link.created': ['expires', 'password', 'sign_in'],
  'link.changed': ['expires', 'from', 'password', 'receipts', 'sign_in'],
  'request.created': ['mailed'],
  'request.extended': ['expires', 'from'],
  'request.reopened': ['expires', 'mailed'],
  'request.answered': [...handed, 'confirmed'],
  'filedrop.delivered': [...handed, 'confirmed'],
  'filedrop.discarded': handed,
  'statement.made': ['kind', 'sha256'],
  'task.started': ['kind'],
  'task.stopped': task,
  'task.finished': task,
  'attachment.uploaded': ['size'],
  'upload.stopped': ['size'],
  'download.stopped': ['download'],
  'user.created': ['group_chosen', 'invited'],
  'user.changed': ['changed'],
  'user.erased': ['erasure', 'events', 'fields', 'digest'],
  'user.address_confirmed': ['way'],
  'user.language_changed': ['language'],
  'user.logged_in': ['way'],
  'user.sign_in_failed': ['failures'],
  'user.sign_in_locked': ['minutes'],
  'user.unlocked': ['kind'],
  'profile.changed': ['fields'],
  'password.changed': ['way', 'sessions_ended'],
  'session.ended': ['sessions'],
  'api_key.read': ['mode'],
  'api_key.replaced': ['ended_now'],
  'group.moved': ['from', 'to'],
  'mail.retried': ['kind'],
  'mail.dropped': ['kind'],
  'mail_template.changed': ['parts'],
  'system.connection_tested': ['failed'],
  'maintenance.ended': ['minutes'],
  'job.run': ['confirmed'],
  'evidence.key_rotated': ['old', 'key'],
  'evidence.witness_added': ['witness'],
  'evidence.witness_removed': ['witness'],
  'evidence.loss_accepted': ['kept', 'lost', 'checkpoint'],
  'branding.changed': ['fields'],
  'branding.logo_changed': ['variant'],
  'branding.logo_removed': ['variant'],
};

/** A kind that no longer exists shows nothing. */
export function isPublicFact(action: string, name: string): boolean {
  const names: readonly string[] | undefined = (publicFacts as Record<string, readonly string[]>)[action];
  return names?.includes(name) ?? false;
}
