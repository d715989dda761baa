// How each kind of event appears in CEF and OCSF, and the version that introduced it.
import { type EventKind, isEventKind } from './events.ts';

export interface OcsfClass {
  category: number;
  class: number;
  activity: number;
}

export interface EventMapping {
  /** The first version that records it. */
  since: string;
  /** Of CEF, 0 to 10. */
  severity: number;
  ocsf: OcsfClass;
}

const activitiesOf = <Names extends string>(
  category: number,
  uid: number,
  activities: Record<Names, number>,
): Record<Names, OcsfClass> =>
  Object.fromEntries(
    Object.entries<number>(activities).map(([name, activity]) => [name, { category, class: uid, activity }]),
  ) as Record<Names, OcsfClass>;

/** File Hosting Activity. */
const file = activitiesOf(6, 6006, {
  upload: 1,
  download: 2,
  update: 3,
  remove: 4,
  move: 7,
  share: 12,
  unshare: 13,
  open: 14,
  other: 99,
});
/** Email Activity. */
const email = activitiesOf(4, 4009, { send: 1, other: 99 });
/** Account Change. */
const account = activitiesOf(3, 3001, {
  create: 1,
  password: 3,
  reset: 4,
  disable: 5,
  remove: 6,
  lock: 9,
  mfaOn: 10,
  mfaOff: 11,
  unlock: 12,
  other: 99,
});
/** Authentication. */
const signIn = activitiesOf(3, 3002, { on: 1, off: 2 });
/** Entity Management. */
const entity = activitiesOf(3, 3004, { create: 1, read: 2, update: 3, remove: 4, other: 99 });

export const eventMappings: Readonly<Partial<Record<EventKind, EventMapping>>> = {
  'message.sent': { since: '0.1.0', severity: 3, ocsf: file.share },
  'message.expired': { since: '0.1.0', severity: 3, ocsf: file.unshare },
  'message.revoked': { since: '0.1.0', severity: 3, ocsf: file.unshare },
  'message.files_deleted': { since: '0.1.0', severity: 3, ocsf: file.remove },
  'message.file_removed': { since: '0.1.0', severity: 3, ocsf: file.remove },
  'message.extended': { since: '0.1.0', severity: 3, ocsf: file.update },
  'message.downloads_allowed': { since: '0.1.0', severity: 3, ocsf: file.other },
  'message.reminded': { since: '0.1.0', severity: 3, ocsf: file.other },
  'message.resent': { since: '0.1.0', severity: 3, ocsf: file.other },
  'message.recipient_added': { since: '0.1.0', severity: 3, ocsf: file.share },
  'message.recipient_corrected': { since: '0.1.0', severity: 3, ocsf: file.other },
  'message.recipient_revoked': { since: '0.1.0', severity: 3, ocsf: file.unshare },
  'message.wrong_recipient': { since: '0.1.0', severity: 6, ocsf: file.other },
  'message.opened': { since: '0.1.0', severity: 3, ocsf: file.open },
  'message.read': { since: '0.1.0', severity: 3, ocsf: file.open },
  'message.expiry_told': { since: '0.1.0', severity: 3, ocsf: file.other },
  'mail.accepted': { since: '0.1.0', severity: 3, ocsf: email.send },
  'mail.deferred': { since: '0.1.0', severity: 3, ocsf: email.other },
  'mail.refused': { since: '0.1.0', severity: 5, ocsf: email.other },
  'file.downloaded': { since: '0.1.0', severity: 3, ocsf: file.download },
  'download.ended': { since: '0.1.0', severity: 3, ocsf: file.download },
  'link.created': { since: '0.1.0', severity: 3, ocsf: file.share },
  'link.changed': { since: '0.1.0', severity: 3, ocsf: file.update },
  'link.deleted': { since: '0.1.0', severity: 3, ocsf: file.unshare },
  'link.expired': { since: '0.1.0', severity: 3, ocsf: file.unshare },
  'request.created': { since: '0.1.0', severity: 3, ocsf: file.share },
  'request.reminded': { since: '0.1.0', severity: 3, ocsf: file.other },
  'request.closed': { since: '0.1.0', severity: 3, ocsf: file.other },
  'request.extended': { since: '0.1.0', severity: 3, ocsf: file.update },
  'request.reopened': { since: '0.1.0', severity: 3, ocsf: file.other },
  'request.answered': { since: '0.1.0', severity: 3, ocsf: file.upload },
  'filedrop.delivered': { since: '0.1.0', severity: 3, ocsf: file.upload },
  'filedrop.created': { since: '0.1.0', severity: 3, ocsf: file.share },
  'filedrop.changed': { since: '0.1.0', severity: 3, ocsf: file.update },
  'filedrop.deleted': { since: '0.1.0', severity: 3, ocsf: file.unshare },
  'filedrop.discarded': { since: '0.1.0', severity: 3, ocsf: file.other },
  'filedrop.opened': { since: '0.1.0', severity: 3, ocsf: file.open },
  'filedrop.closed': { since: '0.1.0', severity: 3, ocsf: file.other },
  'filedrop.reset': { since: '0.1.0', severity: 3, ocsf: file.other },
  'transfer.handed_over': { since: '0.1.0', severity: 3, ocsf: file.move },
  'transfer.taken_over': { since: '0.1.0', severity: 3, ocsf: file.move },
  'hand_over.confirmation_requested': { since: '0.1.0', severity: 3, ocsf: account.other },
  'hand_over.confirmed': { since: '0.1.0', severity: 3, ocsf: account.other },
  'transfer.subject_read': { since: '0.1.0', severity: 6, ocsf: file.open },
  'transfer.viewed': { since: '0.1.0', severity: 3, ocsf: file.open },
  'receipt.viewed': { since: '0.1.0', severity: 3, ocsf: file.open },
  'statement.viewed': { since: '0.1.0', severity: 3, ocsf: entity.read },
  'user.viewed': { since: '0.1.0', severity: 3, ocsf: account.other },
  'list.viewed': { since: '0.1.0', severity: 3, ocsf: entity.read },
  'list.exported': { since: '0.1.0', severity: 5, ocsf: entity.read },
  'task.started': { since: '0.1.0', severity: 3, ocsf: entity.other },
  'task.stopped': { since: '0.1.0', severity: 3, ocsf: entity.other },
  'task.finished': { since: '0.1.0', severity: 3, ocsf: entity.other },
  'attachment.uploaded': { since: '0.1.0', severity: 3, ocsf: file.upload },
  'attachment.processed': { since: '0.1.0', severity: 3, ocsf: file.other },
  'attachment.erased': { since: '0.1.0', severity: 3, ocsf: file.remove },
  'attachment.kept_on_hold': { since: '0.1.0', severity: 3, ocsf: file.other },
  'upload.stopped': { since: '0.1.0', severity: 3, ocsf: file.other },
  'download.stopped': { since: '0.1.0', severity: 3, ocsf: file.other },
  'attachment.damaged': { since: '0.1.0', severity: 7, ocsf: file.other },
  'attachment.mended': { since: '0.1.0', severity: 3, ocsf: file.other },
  'user.created': { since: '0.1.0', severity: 3, ocsf: account.create },
  'user.changed': { since: '0.1.0', severity: 3, ocsf: account.other },
  'user.invited': { since: '0.1.0', severity: 3, ocsf: account.other },
  'user.deleted': { since: '0.1.0', severity: 4, ocsf: account.remove },
  'user.left': { since: '0.1.0', severity: 3, ocsf: account.disable },
  'user.erased': { since: '0.1.0', severity: 5, ocsf: account.remove },
  'user.address_confirmed': { since: '0.1.0', severity: 3, ocsf: account.other },
  'user.language_changed': { since: '0.1.0', severity: 3, ocsf: account.other },
  'user.alias_asked': { since: '0.1.0', severity: 3, ocsf: account.other },
  'user.client_key_renewed': { since: '0.1.0', severity: 3, ocsf: account.other },
  'user.exported': { since: '0.1.0', severity: 6, ocsf: account.other },
  'user.provisioned': { since: '0.1.0', severity: 3, ocsf: account.other },
  'user.group_mapped': { since: '0.1.0', severity: 3, ocsf: account.other },
  'user.signed_in': { since: '0.1.0', severity: 3, ocsf: signIn.on },
  'user.logged_in': { since: '0.1.0', severity: 3, ocsf: signIn.on },
  'user.sign_in_failed': { since: '0.1.0', severity: 5, ocsf: signIn.on },
  'user.sign_in_locked': { since: '0.1.0', severity: 7, ocsf: account.lock },
  'sign_in.refused': { since: '0.1.0', severity: 3, ocsf: entity.other },
  'identity.linked': { since: '0.1.0', severity: 3, ocsf: entity.other },
  'identity.unlinked': { since: '0.1.0', severity: 3, ocsf: entity.other },
  'sign_in_service.created': { since: '0.1.0', severity: 3, ocsf: entity.create },
  'sign_in_service.changed': { since: '0.1.0', severity: 3, ocsf: entity.update },
  'sign_in_service.deleted': { since: '0.1.0', severity: 3, ocsf: entity.remove },
  'sign_in_service.tested': { since: '0.1.0', severity: 3, ocsf: entity.other },
  'user.unlocked': { since: '0.1.0', severity: 3, ocsf: account.unlock },
  'user.rescued': { since: '0.1.0', severity: 4, ocsf: account.reset },
  'security.changed': { since: '0.1.0', severity: 6, ocsf: entity.update },
  'profile.changed': { since: '0.1.0', severity: 3, ocsf: account.other },
  'password.changed': { since: '0.1.0', severity: 4, ocsf: account.password },
  'password.reset_asked': { since: '0.1.0', severity: 3, ocsf: account.reset },
  'session.ended': { since: '0.1.0', severity: 3, ocsf: signIn.off },
  'totp.switched_on': { since: '0.1.0', severity: 3, ocsf: account.mfaOn },
  'totp.switched_off': { since: '0.1.0', severity: 5, ocsf: account.mfaOff },
  'totp.removed': { since: '0.1.0', severity: 6, ocsf: account.mfaOff },
  'api_key.read': { since: '0.1.0', severity: 6, ocsf: account.other },
  'api_key.created': { since: '0.1.0', severity: 3, ocsf: account.create },
  'api_key.replaced': { since: '0.1.0', severity: 3, ocsf: account.other },
  'api_key.revoked': { since: '0.1.0', severity: 3, ocsf: account.other },
  'api_key.shown': { since: '0.1.0', severity: 6, ocsf: account.other },
  'code.sent': { since: '0.1.0', severity: 3, ocsf: account.other },
  'address.proven': { since: '0.1.0', severity: 3, ocsf: account.other },
  'hold.set': { since: '0.1.0', severity: 3, ocsf: entity.update },
  'hold.lifted': { since: '0.1.0', severity: 5, ocsf: entity.update },
  'statement.made': { since: '0.1.0', severity: 3, ocsf: entity.other },
  'installation.set_up': { since: '0.1.0', severity: 3, ocsf: entity.other },
  'group.created': { since: '0.1.0', severity: 3, ocsf: entity.create },
  'group.changed': { since: '0.1.0', severity: 4, ocsf: entity.update },
  'group.deleted': { since: '0.1.0', severity: 3, ocsf: entity.remove },
  'group.moved': { since: '0.1.0', severity: 3, ocsf: entity.update },
  'mail.tested': { since: '0.1.0', severity: 3, ocsf: email.other },
  'mail.settings_changed': { since: '0.1.0', severity: 3, ocsf: email.other },
  'mail.retried': { since: '0.1.0', severity: 3, ocsf: email.other },
  'mail.dropped': { since: '0.1.0', severity: 3, ocsf: email.other },
  'mail_template.changed': { since: '0.1.0', severity: 3, ocsf: entity.update },
  'system.connection_tested': { since: '0.1.0', severity: 3, ocsf: entity.other },
  'maintenance.begun': { since: '0.1.0', severity: 3, ocsf: entity.other },
  'maintenance.ended': { since: '0.1.0', severity: 3, ocsf: entity.other },
  'job.run': { since: '0.1.0', severity: 3, ocsf: entity.other },
  'evidence.key_rotated': { since: '0.1.0', severity: 5, ocsf: entity.other },
  'evidence.witness_added': { since: '0.1.0', severity: 3, ocsf: entity.other },
  'evidence.witness_removed': { since: '0.1.0', severity: 3, ocsf: entity.other },
  'evidence.loss_accepted': { since: '0.1.0', severity: 8, ocsf: entity.other },
  'evidence.contradiction': { since: '0.1.0', severity: 9, ocsf: entity.other },
  'webhook.created': { since: '0.1.0', severity: 3, ocsf: entity.create },
  'webhook.changed': { since: '0.1.0', severity: 3, ocsf: entity.update },
  'webhook.deleted': { since: '0.1.0', severity: 3, ocsf: entity.remove },
  'webhook.secret_rotated': { since: '0.1.0', severity: 3, ocsf: entity.other },
  'webhook.replayed': { since: '0.1.0', severity: 3, ocsf: entity.other },
  'webhook.switched_off': { since: '0.1.0', severity: 6, ocsf: entity.other },
  'branding.changed': { since: '0.1.0', severity: 3, ocsf: entity.update },
  'branding.logo_changed': { since: '0.1.0', severity: 3, ocsf: entity.other },
  'branding.logo_removed': { since: '0.1.0', severity: 3, ocsf: entity.other },
};

/** Also for kinds without a line, and kinds that no longer exist. */
export function mappingOf(action: string): EventMapping {
  const mapped = isEventKind(action) ? eventMappings[action] : undefined;
  return mapped ?? { since: '', severity: 3, ocsf: entity.other };
}
