import type { Block, MailFile } from '../blocks.ts';
import { type EveryMail, type Kind, type MailPerson, nameOf } from './kind.ts';
import { ben, sampleFiles, sampleReference } from './samples.ts';
import { glance, totalSize } from './sharing.ts';

export interface FilesReceivedPayload extends EveryMail {
  uploader: MailPerson;
  /** If false, the mail says what is not proven: the typed address, or who used the link of the request. */
  isAddressConfirmed: boolean;
  via: 'request' | 'drop';
  /** The subject of the request or the name of the drop page. */
  title: string;
  note: string;
  files: MailFile[];
  /** The received files in the app. */
  url: string;
}

export const filesReceivedKind: Kind<FilesReceivedPayload> = {
  headerClass: 'receipt',
  traits: ['waitsForFiles'],
  notice: 'requests',
  defaults: { subject: 'mail.receivedSubject', intro: null, closing: null },
  sample: {
    reference: sampleReference,
    uploader: ben,
    isAddressConfirmed: false,
    via: 'request',
    title: 'Photos of the east quay',
    note: 'Two of the originals are still with the surveyor; they follow on Thursday.',
    files: sampleFiles.slice(0, 2),
    url: `https://files.northlight.example/app/received/${sampleReference}`,
  },
  compose(payload, texts, sender) {
    const { files, uploader } = payload;
    const variables = {
      uploader: nameOf(uploader),
      uploaderAddress: uploader.address,
      title: payload.title,
      fileCount: files.length,
      totalSize: totalSize(files, texts),
    };
    const blocks: Block[] = [];
    if (!payload.isAddressConfirmed) {
      const { address } = uploader;
      blocks.push(
        payload.via === 'request'
          ? { type: 'notice', tone: 'info', text: texts.say('mail.receivedByLink', { address }) }
          : { type: 'notice', tone: 'warning', text: texts.say('mail.receivedUnchecked', { address }) },
      );
    }
    if (payload.note !== '') {
      blocks.push({ type: 'quote', by: variables.uploader, address: uploader.address, text: payload.note });
    }
    if (files.length > 0) blocks.push({ type: 'files', files, withChecksums: false });
    blocks.push({ type: 'button', label: texts.say('mail.receivedButton', variables), url: payload.url });
    const label = texts.say(payload.via === 'request' ? 'mail.labelRequest' : 'mail.labelDrop');
    const facts = [{ label, value: payload.title }];
    if (payload.isAddressConfirmed) {
      const value = texts.say('mail.receivedConfirmed', { address: uploader.address });
      facts.push({ label: texts.say('mail.labelFrom'), value });
    }
    blocks.push({ type: 'facts', facts });
    return {
      variables,
      heading: texts.say('mail.receivedSubject', variables),
      preheader: glance(files, null, texts),
      why: texts.say(payload.via === 'request' ? 'mail.receivedWhyRequest' : 'mail.receivedWhyDrop', { ...sender }),
      blocks,
    };
  },
};
