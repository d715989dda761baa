// Sample props of the message page in every state, for tests and the gallery.
import type { MessageFile, MessagePage } from '#web/pages/message-props.ts';
import type { Page } from '#web/pages/page.ts';

const id = 'Zk3hT9QmW2xY7LpR4vNc8B';
const alice = { name: 'Alice Smith', address: 'alice@northlight.example' };
const ben = { name: 'Ben Oduya', address: 'ben@harbour.example' };
const cleo = { name: 'Cleo Marsh', address: 'cleo@harbour.example' };

function post(path: string) {
  return { action: `/message/${id}/${path}`, csrf: 'bTz0tXc1V9' };
}

const sections: MessageFile = {
  id: 'f1Wm3xY7LpR4vNc8BhT9Qk',
  name: 'Harbour-sections-rev-C.pdf',
  sizeText: '48.2 MB',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  state: { is: 'ready', form: post('files/f1/download'), progress: null, downloadsLeft: null },
  downloadedAt: null,
};
const costs: MessageFile = {
  id: 'f2Wm3xY7LpR4vNc8BhT9Qk',
  name: 'Cost-sheet-2026-11.xlsx',
  sizeText: '310 KB',
  sha256: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
  state: { is: 'ready', form: post('files/f2/download'), progress: null, downloadsLeft: null },
  downloadedAt: '2026-11-12T13:02:00.000Z',
};
const model: MessageFile = {
  id: 'f3Wm3xY7LpR4vNc8BhT9Qk',
  name: 'Model-and-textures.zip',
  sizeText: '1.1 GB',
  sha256: 'fd61a03af4f77d870fc21e05e7e80678095c92d808cfb3b5c279ee04c74aca13',
  state: { is: 'ready', form: post('files/f3/download'), progress: null, downloadsLeft: null },
  downloadedAt: null,
};

export const sampleMessage: MessagePage = {
  kind: 'message',
  sender: alice,
  subject: 'Drawings for the Harbour tender',
  isPrivate: false,
  body: {
    is: 'text',
    text: 'Hi Ben,\nhere are the revised sections and the cost sheet. Page 4 is the one to check first.\n\nAlice',
  },
  files: [sections, costs, model],
  totalSizeText: '1.2 GB',
  downloadAll: { form: post('download'), fileCount: 3, sizeText: '1.2 GB' },
  until: { date: '2026-11-30', daysLeft: 15 },
  audience: 'recipientsOnly',
  isOnlyRecipient: true,
  downloadsLeft: 3,
  hasDownloadLimit: true,
  otherRecipients: null,
  checkAgainUrl: `/message/${id}`,
  stateUrl: `/message/${id}/state`,
  notices: [],
  senderView: null,
};

const one = { files: [sections], totalSizeText: '48.2 MB', downloadAll: null };

const bodyHtml =
  '<p>Hi Ben,</p><p>here are the <strong>revised sections</strong>. Check first:</p><ul><li>page 4</li><li>the <a href="https://harbour.example/tender" rel="noopener noreferrer">tender</a></li></ul><blockquote><p>We need it by Friday.</p></blockquote>';

export const messageSamples: Record<string, Page> = {
  message: sampleMessage,
  'message, one file': { ...sampleMessage, ...one },
  'message, no files': { ...sampleMessage, files: [], totalSizeText: '', downloadAll: null, downloadsLeft: null },
  'message, no text, no limits': {
    ...sampleMessage,
    body: { is: 'none' },
    until: null,
    audience: 'anyone',
    downloadsLeft: null,
    hasDownloadLimit: false,
  },
  'message, sanitised HTML': { ...sampleMessage, body: { is: 'html', bodyHtml }, audience: 'anyoneSignedIn' },
  'message, private, unread': { ...sampleMessage, isPrivate: true, body: { is: 'unread', form: post('read') } },
  'message, private, unread, no files': {
    ...sampleMessage,
    isPrivate: true,
    body: { is: 'unread', form: post('read') },
    files: [],
    totalSizeText: '',
    downloadAll: null,
    downloadsLeft: null,
  },
  'message, private, read': { ...sampleMessage, isPrivate: true },
  'message, being checked': {
    ...sampleMessage,
    files: [
      sections,
      { ...costs, state: { is: 'being-checked', forViruses: true, percent: 40 }, downloadedAt: null, sha256: null },
    ],
    totalSizeText: '48.5 MB',
    downloadAll: null,
  },
  'message, removed': {
    ...sampleMessage,
    files: [
      sections,
      { ...costs, name: 'invoice.xlsm', state: { is: 'removed', sentence: null }, downloadedAt: null },
      { ...model, state: { is: 'removed', sentence: 'An administrator removed this file.' } },
    ],
    downloadAll: null,
  },
  'message, some used up': {
    ...sampleMessage,
    files: [sections, { ...costs, state: { is: 'used-up' } }, model],
    downloadAll: { form: post('download'), fileCount: 2, sizeText: '1.1 GB' },
    downloadsLeft: null,
    audience: 'recipientsAndLocal',
  },
  'message, one under way, one interrupted': {
    ...sampleMessage,
    files: [
      { ...sections, state: { is: 'ready', form: post('files/f1/download'), progress: 'running', downloadsLeft: 1 } },
      costs,
      { ...model, state: { is: 'ready', form: post('files/f3/download'), progress: 'interrupted', downloadsLeft: 3 } },
    ],
  },
  'message, limit reached': {
    ...sampleMessage,
    files: sampleMessage.files.map((file) => ({ ...file, state: { is: 'used-up' as const } })),
    downloadAll: null,
    downloadsLeft: 0,
    notices: [{ is: 'limit-reached', what: 'downloads', sender: alice }],
  },
  'message, last days': {
    ...sampleMessage,
    until: { date: '2026-11-16', daysLeft: 1 },
    audience: 'recipientsAndDomains',
    downloadsLeft: 1,
  },
  'message, other recipients': {
    ...sampleMessage,
    isOnlyRecipient: false,
    otherRecipients: { to: [cleo], cc: [ben, cleo] },
  },
  'message, many recipients': {
    ...sampleMessage,
    isOnlyRecipient: false,
    otherRecipients: {
      to: Array.from({ length: 12 }, (_, n) => ({ name: `Person ${n}`, address: `person-${n}@harbour.example` })),
      cc: [cleo],
    },
  },
  'message, offers a passkey': { ...sampleMessage, passkeys: { url: '/verify/passkeys?target=m', hasPasskey: false } },
  'message, with passkeys': { ...sampleMessage, passkeys: { url: '/verify/passkeys?target=m', hasPasskey: true } },
  'message, seen by its sender': { ...sampleMessage, senderView: { appUrl: `/app/sent/${id}` } },
  'message, trouble': { ...sampleMessage, notices: [{ is: 'download-trouble', requestId: '7f3a9c21' }] },
  'message, many files': {
    ...sampleMessage,
    files: Array.from({ length: 24 }, (_, n) => ({
      ...sections,
      id: `f${n}`,
      name: `Sheet-${n + 1} of the tender.pdf`,
    })),
    downloadAll: { form: post('download'), fileCount: 24, sizeText: '1.2 GB' },
    downloadsLeft: null,
    hasDownloadLimit: false,
  },
};
