import type { Block } from '../blocks.ts';
import type { Texts } from '../text.ts';
import type { EveryMail, Kind } from './kind.ts';
import { sampleReference, sampleSubject } from './samples.ts';

export interface DeliveryProblemPayload extends EveryMail {
  recipient: string;
  subject: string;
  problem: 'unknown-address' | 'mailbox-full' | 'refused' | 'given-up';
  /** Shown for `given-up`. */
  triedHours: number;
  /** The mail server's reply; may be empty. */
  serverText: string;
  url: string;
}

export const deliveryProblemKind: Kind<DeliveryProblemPayload> = {
  headerClass: 'receipt',
  traits: ['reportsPastEvent'],
  defaults: { subject: 'mail.problemSubject', intro: 'mail.problemIntro', closing: null },
  sample: {
    reference: sampleReference,
    recipient: 'dana@harbour.example',
    subject: sampleSubject,
    problem: 'unknown-address',
    triedHours: 0,
    serverText: '550 5.1.1 No such user here',
    url: `https://files.northlight.example/app/sent/${sampleReference}?fix`,
    threadMessageId: '<copy-Zk3pQ8@northlight.example>',
  },
  compose(payload, texts, sender) {
    const variables = { recipient: payload.recipient, subject: payload.subject, explanation: explain(payload, texts) };
    const blocks: Block[] = [];
    if (payload.serverText !== '') {
      blocks.push({ type: 'quote', by: texts.say('mail.problemServer'), address: null, text: payload.serverText });
    }
    blocks.push(
      { type: 'button', label: texts.say('mail.problemButton'), url: payload.url },
      { type: 'facts', facts: [{ label: texts.say('mail.labelMessage'), value: payload.subject }] },
    );
    return {
      variables,
      heading: texts.say('mail.problemSubject', variables),
      preheader: variables.explanation,
      why: texts.say('mail.problemWhy', { ...sender }),
      blocks,
    };
  },
};

/** Classifies a reply by its enhanced status code, else by usual phrases. */
export function problemFrom(serverText: string): 'unknown-address' | 'mailbox-full' | 'refused' {
  if (/\b[45]\.2\.2\b|\b(mailbox|quota)\b.{0,20}\b(full|exceeded)\b|\bover quota\b/i.test(serverText)) {
    return 'mailbox-full';
  }
  const isUnknown =
    /\b5\.1\.[0-36]\b|\b(no such|unknown|invalid) (user|recipient|mailbox|address)\b/i.test(serverText) ||
    /\b(user|recipient|mailbox|address)\b.{0,20}\b(unknown|not found|does not exist|doesn't exist)\b/i.test(serverText);
  return isUnknown ? 'unknown-address' : 'refused';
}

function explain(payload: DeliveryProblemPayload, texts: Texts): string {
  switch (payload.problem) {
    case 'unknown-address':
      return texts.say('mail.problemUnknown');
    case 'mailbox-full':
      return texts.say('mail.problemFull');
    case 'refused':
      return texts.say('mail.problemRefused');
    case 'given-up':
      return texts.say('mail.problemGivenUp', { duration: texts.duration(payload.triedHours * 60) });
  }
}
