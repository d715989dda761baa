import type { Fact } from '../blocks.ts';
import type { Texts } from '../text.ts';
import type { EveryMail, Kind, Sender } from './kind.ts';
import { sampleInstant, sampleReference } from './samples.ts';

export type SecurityEvent =
  | 'api-key-read'
  | 'api-key-changed'
  | 'new-sign-in'
  | 'password-changed'
  /** By an administrator; the reader must choose another. */
  | 'password-set'
  | 'second-step-changed'
  | 'recovery-codes-created'
  | 'recovery-code-used'
  | 'address-changed'
  /** The reader's address was added to an account and works there. */
  | 'address-given'
  /** The same, but it works only after verification. */
  | 'address-offered'
  /** For the reader's address, which belongs to no account. */
  | 'recipient-passkey-created'
  /** The key that encrypts data in clients. */
  | 'client-key-changed'
  /** A user requests another address; the reader is an administrator. */
  | 'alias-asked'
  /** A hand-over to this account needs confirmation; the reader is a System Administrator. */
  | 'hand-over-to-confirm'
  /** Transfers of the reader were handed over to another user. */
  | 'transfers-handed-over'
  /** The reader received transfers of another user. */
  | 'transfers-taken-over';

export interface SecurityNoticePayload extends EveryMail {
  event: SecurityEvent;
  /** Null if it was the owner, or is unknown. */
  actor: string | null;
  at: number;
  /** `Stockholm, Sweden`; null if unknown. */
  place: string | null;
  device: string | null;
  reason: string | null;
  /** The account page. */
  url: string;
  /** The account's owner, if the reader's address may not belong to the account. */
  account?: string;
  /** The requested address. */
  alias?: string;
  /** `person` is empty if the account was deleted. */
  transfers?: { count: number; person: string };
}

export const securityNoticeKind: Kind<SecurityNoticePayload> = {
  headerClass: 'code',
  traits: [],
  refersTo: 'account',
  defaults: { subject: 'mail.securitySubject', intro: 'mail.securityIntro', closing: null },
  sample: {
    reference: sampleReference,
    event: 'api-key-read',
    actor: 'Sam Rivers',
    at: sampleInstant,
    place: 'Stockholm, Sweden',
    device: 'Firefox on Windows',
    reason: 'Moving the nightly export to the new server',
    url: 'https://files.northlight.example/app/account',
  },
  compose(payload, texts, sender) {
    const summary = summarize(payload, texts);
    return {
      variables: { summary, advice: advise(payload, texts, sender), time: texts.time(payload.at) },
      heading: summary,
      preheader: texts.time(payload.at),
      why: texts.say(whyOf(payload), { ...sender }),
      blocks: [
        { type: 'facts', facts: circumstances(payload, texts) },
        ...(isStrangers(payload)
          ? []
          : [{ type: 'button', label: texts.say('mail.securityButton'), url: payload.url } as const]),
      ],
    };
  },
};

/** The reader may have no account here. */
function isStrangers({ event }: SecurityNoticePayload): boolean {
  return event === 'address-given' || event === 'address-offered' || event === 'recipient-passkey-created';
}

function whyOf(payload: SecurityNoticePayload) {
  if (payload.event === 'recipient-passkey-created') return 'mail.securityRecipientWhy';
  return isStrangers(payload) ? 'mail.securityAddressWhy' : 'mail.securityWhy';
}

function circumstances(payload: SecurityNoticePayload, texts: Texts): Fact[] {
  const lines: [string, string | null][] = [
    [texts.say('mail.labelAccount'), payload.account ?? null],
    [texts.say('mail.labelWho'), payload.actor],
    [texts.say('mail.labelWhen'), texts.time(payload.at)],
    [texts.say('mail.labelWhere'), payload.place],
    [texts.say('mail.labelDevice'), payload.device],
    [texts.say('mail.labelWhy'), payload.reason],
  ];
  return lines.flatMap(([label, value]) => (value === null ? [] : [{ label, value }]));
}

function summarize({ event, place, transfers, alias = '', account = '' }: SecurityNoticePayload, texts: Texts): string {
  const { count: n = 1, person: name = '' } = transfers ?? {};
  switch (event) {
    case 'api-key-read':
      return texts.say('mail.securityKeyRead');
    case 'api-key-changed':
      return texts.say('mail.securityKeyChanged');
    case 'new-sign-in':
      return place === null ? texts.say('mail.securitySignIn') : texts.say('mail.securitySignInFrom', { place });
    case 'password-changed':
      return texts.say('mail.securityPassword');
    case 'password-set':
      return texts.say('mail.securityPasswordSet');
    case 'second-step-changed':
      return texts.say('mail.securitySecondStep');
    case 'recovery-codes-created':
      return texts.say('mail.securityRecoveryCodes');
    case 'recovery-code-used':
      return texts.say('mail.securityRecoveryCode');
    case 'address-changed':
      return texts.say('mail.securityAddress');
    case 'address-given':
      return texts.say('mail.securityAddressGiven');
    case 'address-offered':
      return texts.say('mail.securityAddressOffered');
    case 'recipient-passkey-created':
      return texts.say('mail.securityRecipientPasskey');
    case 'client-key-changed':
      return texts.say('mail.securityClientKey');
    case 'alias-asked':
      return texts.say('mail.securityAliasAsked', { address: alias });
    case 'hand-over-to-confirm':
      return texts.say('mail.securityHandOverToConfirm', { name: account });
    case 'transfers-handed-over':
      return texts.say('mail.securityHandedOver', { n, name });
    case 'transfers-taken-over':
      return texts.say('mail.securityTakenOver', { n, name });
  }
}

function advise({ event, actor }: SecurityNoticePayload, texts: Texts, { organisation }: Sender): string {
  switch (event) {
    case 'api-key-read':
      return texts.say('mail.adviceKey', { name: actor ?? organisation });
    case 'new-sign-in':
      return texts.say('mail.adviceSignIn');
    case 'api-key-changed':
    case 'password-changed':
    case 'second-step-changed':
    case 'recovery-codes-created':
    case 'recovery-code-used':
    case 'address-changed':
      return texts.say('mail.adviceChange');
    case 'password-set':
      return texts.say('mail.advicePasswordSet');
    case 'address-given':
      return texts.say('mail.adviceAddressGiven');
    case 'address-offered':
      return texts.say('mail.adviceAddressOffered');
    case 'recipient-passkey-created':
      return texts.say('mail.adviceRecipientPasskey', { name: organisation });
    case 'client-key-changed':
      return texts.say('mail.adviceClientKey');
    case 'alias-asked':
      return texts.say('mail.adviceAliasAsked');
    case 'hand-over-to-confirm':
      return texts.say('mail.adviceHandOverToConfirm');
    case 'transfers-handed-over':
      return texts.say('mail.adviceHandedOver');
    case 'transfers-taken-over':
      return texts.say('mail.adviceTakenOver');
  }
}
