// Links to the receipt, never to the files.
import type { Block, MailFile } from '../blocks.ts';
import type { EveryMail, Kind } from './kind.ts';
import { alice, ben, sampleFiles, sampleInstant, sampleLanguageUrl, sampleReference } from './samples.ts';
import { glance, totalSize } from './sharing.ts';

export interface UploaderReceiptPayload extends EveryMail {
  /** The person the files were for. */
  receiver: string;
  address: string;
  files: MailFile[];
  deliveredAt: number;
  /** Null in mails queued by earlier versions. */
  url: string | null;
}

export const uploaderReceiptKind: Kind<UploaderReceiptPayload> = {
  headerClass: 'receipt',
  traits: ['reportsPastEvent'],
  defaults: { subject: 'mail.deliveredSubject', intro: 'mail.deliveredIntro', closing: null },
  sample: {
    reference: sampleReference,
    otherLanguageUrl: sampleLanguageUrl,
    receiver: alice.name,
    address: ben.address,
    files: sampleFiles.slice(0, 2),
    deliveredAt: sampleInstant,
    url: 'https://files.northlight.example/delivered/Rq3vT8nLw2Zk5Xy7Bc9Dm1',
  },
  compose(payload, texts, sender) {
    const { files } = payload;
    const variables = {
      receiver: payload.receiver,
      address: payload.address,
      fileCount: files.length,
      totalSize: totalSize(files, texts),
      time: texts.time(payload.deliveredAt),
    };
    const blocks: Block[] = [];
    if (files.length > 0) blocks.push({ type: 'files', files, withChecksums: true });
    blocks.push({
      type: 'facts',
      facts: [
        { label: texts.say('mail.labelDelivered'), value: variables.time },
        { label: texts.say('mail.labelReference'), value: payload.reference },
      ],
    });
    if (payload.url) blocks.push({ type: 'button', label: texts.say('mail.deliveredButton'), url: payload.url });
    return {
      variables,
      heading: texts.say('mail.deliveredSubject', variables),
      preheader: glance(files, null, texts),
      why: texts.say('mail.deliveredWhy', { ...variables, ...sender }),
      blocks,
    };
  },
};
