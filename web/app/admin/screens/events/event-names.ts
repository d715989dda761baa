// A kind without a text shows its identifier.
import type { EventBody } from '#contract/admin/events.ts';
import { visibleText } from '../../../../visible.ts';
import { type TextKey, useText } from '../../../texts.ts';

const areaNames: Partial<Record<string, TextKey<'admin/events'>>> = {
  message: 'areaMessage',
  link: 'areaLink',
  request: 'areaRequest',
  filedrop: 'areaFiledrop',
  transfer: 'areaTransfer',
  file: 'areaFile',
  attachment: 'areaAttachment',
  mail: 'areaMail',
  user: 'areaUser',
  profile: 'areaProfile',
  password: 'areaPassword',
  session: 'areaSession',
  totp: 'areaTotp',
  api_key: 'areaApiKey',
  code: 'areaCode',
  address: 'areaAddress',
  installation: 'areaInstallation',
  group: 'areaGroup',
  mail_template: 'areaMailTemplate',
  branding: 'areaBranding',
  task: 'areaTask',
  hold: 'areaHold',
  statement: 'areaStatement',
  download: 'areaDownload',
  evidence: 'areaEvidence',
  receipt: 'areaReceipt',
  list: 'areaList',
  hand_over: 'areaHandOver',
};

const verbNames: Partial<Record<string, TextKey<'admin/events'>>> = {
  sent: 'verbSent',
  expired: 'verbExpired',
  revoked: 'verbRevoked',
  files_deleted: 'verbFilesDeleted',
  file_removed: 'verbFileRemoved',
  extended: 'verbExtended',
  downloads_allowed: 'verbDownloadsAllowed',
  reminded: 'verbReminded',
  resent: 'verbResent',
  recipient_added: 'verbRecipientAdded',
  recipient_corrected: 'verbRecipientCorrected',
  recipient_revoked: 'verbRecipientRevoked',
  wrong_recipient: 'verbWrongRecipient',
  opened: 'verbOpened',
  read: 'verbRead',
  expiry_told: 'verbExpiryTold',
  accepted: 'verbAccepted',
  deferred: 'verbDeferred',
  refused: 'verbRefused',
  downloaded: 'verbDownloaded',
  created: 'verbCreated',
  changed: 'verbChanged',
  deleted: 'verbDeleted',
  closed: 'verbClosed',
  reopened: 'verbReopened',
  answered: 'verbAnswered',
  delivered: 'verbDelivered',
  discarded: 'verbDiscarded',
  reset: 'verbReset',
  handed_over: 'verbHandedOver',
  taken_over: 'verbTakenOver',
  subject_read: 'verbSubjectRead',
  viewed: 'verbViewed',
  confirmation_requested: 'verbConfirmationRequested',
  confirmed: 'verbConfirmed',
  started: 'verbStarted',
  stopped: 'verbStopped',
  finished: 'verbFinished',
  uploaded: 'verbUploaded',
  processed: 'verbProcessed',
  erased: 'verbErased',
  kept_on_hold: 'verbKeptOnHold',
  damaged: 'verbDamaged',
  address_confirmed: 'verbAddressConfirmed',
  language_changed: 'verbLanguageChanged',
  signed_in: 'verbSignedIn',
  logged_in: 'verbLoggedIn',
  reset_asked: 'verbResetAsked',
  ended: 'verbEnded',
  switched_on: 'verbSwitchedOn',
  switched_off: 'verbSwitchedOff',
  removed: 'verbRemoved',
  replaced: 'verbReplaced',
  shown: 'verbShown',
  proven: 'verbProven',
  set_up: 'verbSetUp',
  tested: 'verbTested',
  retried: 'verbRetried',
  dropped: 'verbDropped',
  logo_changed: 'verbLogoChanged',
  logo_removed: 'verbLogoRemoved',
  left: 'verbLeft',
  exported: 'verbExported',
  set: 'verbSet',
  lifted: 'verbLifted',
  made: 'verbMade',
  key_rotated: 'verbKeyRotated',
  witness_added: 'verbWitnessAdded',
  witness_removed: 'verbWitnessRemoved',
  loss_accepted: 'verbLossAccepted',
};

export const areas = Object.keys(areaNames);

export function useAreaName(): (area: string) => string {
  const text = useText('admin/events');
  return (area) => {
    const key = areaNames[area];
    return key === undefined ? area : text(key);
  };
}

/** `Message: sent`. */
export function useActionName(): (action: string) => string {
  const text = useText('admin/events');
  const areaName = useAreaName();
  return (action) => {
    const [area = '', verb = ''] = action.split('.');
    const key = verbNames[verb];
    return key === undefined ? action : text('areaVerb', { area: areaName(area), verb: text(key) });
  };
}

export function useActorName(): (event: EventBody) => string {
  const text = useText('admin/events');
  return ({ actor, actor_kind: kind }) => {
    if (actor === null) return text(kind === 'system' ? 'system' : 'anonymous');
    return actor.email === '' ? text('hidden') : visibleText(actor.name === '' ? actor.email : actor.name);
  };
}

export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
