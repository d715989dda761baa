// The page of a message with the sample data of mails, for previews.
import { humanSize } from '#contract/sizes.ts';
import type { MessagePage } from '#web/pages/message-props.ts';
import { sampleMessage } from '../../actions/branding/preview.ts';

export function sampleMessagePage(until: string): MessagePage {
  const { sender, subject, body, files } = sampleMessage;
  const form = { action: '' };
  const size = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return {
    kind: 'message',
    sender,
    subject,
    isPrivate: false,
    body: { is: 'text', text: body },
    files: files.map(({ name, sizeBytes, sha256 }, index) => ({
      id: `sample-${index}`,
      name,
      sizeText: humanSize(sizeBytes),
      sha256: sha256 ?? null,
      state: { is: 'ready', form, progress: null, downloadsLeft: null },
      downloadedAt: null,
    })),
    totalSizeText: humanSize(size),
    downloadAll: { form, fileCount: files.length, sizeText: humanSize(size) },
    until: { date: until, daysLeft: sampleDays },
    audience: 'recipientsOnly',
    isOnlyRecipient: true,
    downloadsLeft: null,
    hasDownloadLimit: false,
    otherRecipients: { to: [], cc: [] },
    checkAgainUrl: '',
    stateUrl: '',
    notices: [],
    senderView: null,
  };
}

export const sampleDays = 14;
