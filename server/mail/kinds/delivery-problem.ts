// E12: a mail to a recipient was refused for good or given up; to the sender.
import type { Block } from '../blocks.ts';
import type { Words } from '../text.ts';
import type { EveryMail, Kind } from './kind.ts';
import { sampleReference, sampleSubject } from './samples.ts';

export interface DeliveryProblemPayload extends EveryMail {
  /** The address that could not be reached. */
  recipient: string;
  subject: string;
  problem: 'unknown-address' | 'mailbox-full' | 'refused' | 'given-up';
  /** How long it was tried; told for `given-up`. */
  triedHours: number;
  /** The mail server's own words; empty when there are none. */
  serverText: string;
  /** Where the address can be changed. */
  url: string;
}

export const deliveryProblemKind: Kind<DeliveryProblemPayload> = {
  headerClass: 'receipt',
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
  compose(payload, words, sender) {
    const variables = { recipient: payload.recipient, subject: payload.subject, explanation: explain(payload, words) };
    const blocks: Block[] = [];
    if (payload.serverText !== '') {
      blocks.push({ type: 'quote', by: words.say('mail.problemServer'), address: null, text: payload.serverText });
    }
    blocks.push(
      { type: 'button', label: words.say('mail.problemButton'), url: payload.url },
      { type: 'facts', facts: [{ label: words.say('mail.labelMessage'), value: payload.subject }] },
    );
    return {
      variables,
      heading: words.say('mail.problemSubject', variables),
      preheader: variables.explanation,
      why: words.say('mail.problemWhy', { ...sender }),
      blocks,
    };
  },
};

function explain(payload: DeliveryProblemPayload, words: Words): string {
  switch (payload.problem) {
    case 'unknown-address':
      return words.say('mail.problemUnknown');
    case 'mailbox-full':
      return words.say('mail.problemFull');
    case 'refused':
      return words.say('mail.problemRefused');
    case 'given-up':
      return words.say('mail.problemGivenUp', { duration: words.duration(payload.triedHours * 60) });
  }
}
