// Sample props of the pages that receive files in every state, for tests and the gallery.
import type {
  DeliveredFile,
  DeliveredPage,
  DropPage,
  RequestPage,
  UploadAccess,
  UploadLimits,
} from '#web/pages/delivery-props.ts';
import type { Page } from '#web/pages/page.ts';

const csrf = 'bTz0tXc1V9';
const id = 'Zk3hT9QmW2xY7LpR4vNc8B';
const alice = { name: 'Alice Smith', address: 'alice@northlight.example' };

const upload: UploadAccess = {
  url: `/requests/${id}/attachments/upload`,
  stateUrl: `/requests/${id}/uploads/{id}`,
  csrf,
  chunkSizeBytes: 8 * 1024 * 1024,
  firstUploadId: 'new',
};

const limits: UploadLimits = {
  maxTotalBytes: 5 * 1024 ** 3,
  maxFiles: 20,
  permittedExtensions: [],
  blockedExtensions: ['exe', 'bat', 'cmd'],
  formMaxBytes: 2 * 1024 ** 3,
};

const noLimits: UploadLimits = { ...limits, maxTotalBytes: null, maxFiles: null, blockedExtensions: [] };

const received = [
  { id: 'r1Wm3xY7LpR4vNc8BhT9Qk', name: 'Offer-2026-signed.pdf', sizeText: '2.4 MB' },
  { id: 'r2Wm3xY7LpR4vNc8BhT9Qk', name: '<b>site</b> photos \u202Egpj.exe', sizeText: '812 KB' },
];

export const sampleRequest: RequestPage = {
  kind: 'request',
  form: { action: `/requests/${id}`, csrf },
  asker: alice,
  subject: 'Your offer for the harbour sections',
  text: 'Hi Ben,\nwe need the signed offer and the site photos by Friday.\n\nAlice',
  address: 'ben@harbour.example',
  until: { date: '2026-11-30', daysLeft: 15 },
  isReusable: false,
  mayBeForwarded: false,
  upload,
  limits,
  received: [],
  values: { note: '' },
  problems: [],
};

export const sampleDrop: DropPage = {
  kind: 'drop',
  form: { action: '/filedrop/alice', csrf },
  owner: alice,
  title: null,
  intro: 'Drawings, photos and offers for running projects. Name the project in the subject.',
  provenAddress: null,
  needsConfirmation: false,
  isReadyToSend: false,
  upload: { ...upload, url: '/filedrop/alice/attachments/upload', stateUrl: '/filedrop/alice/uploads/{id}' },
  limits,
  received: [],
  values: { email: '', name: '', subject: '', message: '' },
  problems: [],
};

export const sampleDelivered: DeliveredPage = {
  kind: 'delivered',
  recipient: alice,
  deliveredAt: '2026-11-12T13:02:00.000Z',
  files: [
    {
      name: 'Offer-2026-signed.pdf',
      sizeText: '2.4 MB',
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      check: null,
    },
    {
      name: 'Site photos.zip',
      sizeText: '412.0 MB',
      sha256: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
      check: null,
    },
  ],
  checkAgainUrl: null,
  reference: 'hT9QmW2xY7LpR4vNc8BZk3',
  sendMoreUrl: null,
  receipt: {
    is: 'offer',
    form: { action: '/requests/receipt', csrf, hidden: { delivery: 'hT9QmW2xY7LpR4vNc8BZk3' } },
    address: 'ben@harbour.example',
  },
};

const [deliveredOffer, deliveredPhotos] = sampleDelivered.files as [DeliveredFile, DeliveredFile];

export const deliverySamples: Record<string, Page> = {
  'delivered, being checked': {
    ...sampleDelivered,
    files: [
      { ...deliveredOffer, check: { is: 'held', isInfected: true } },
      { ...deliveredPhotos, check: { is: 'waiting', forViruses: true, percent: 40 } },
      { ...deliveredOffer, name: 'Plan.docm', check: { is: 'held', isInfected: false } },
    ],
    checkAgainUrl: '/delivered/hT9QmW2xY7LpR4vNc8BZk3',
  },
  request: sampleRequest,
  'request, may be used again': {
    ...sampleRequest,
    isReusable: true,
    mayBeForwarded: true,
    subject: '',
    text: '',
    limits: { ...noLimits, permittedExtensions: ['pdf', 'docx', 'zip'], maxTotalBytes: 1024 ** 3 },
  },
  'request, last day': {
    ...sampleRequest,
    until: { date: '2026-11-15', daysLeft: 0 },
    limits: { ...limits, maxTotalBytes: null },
  },
  'request, nothing added': { ...sampleRequest, problems: [{ field: 'files', reason: 'missing' }] },
  'request, refused file': {
    ...sampleRequest,
    received,
    values: { note: 'The photos are from Monday.' },
    problems: [
      { field: 'files', file: 'setup.exe', reason: 'type' },
      { field: 'files', file: 'notes.txt', reason: 'empty' },
      { field: 'note', sentence: 'Use at most 262144 characters for the text, or put it in a file.' },
    ],
  },
  drop: sampleDrop,
  'drop, own title': { ...sampleDrop, title: 'Tender office', limits: noLimits, needsConfirmation: true },
  'drop, without the person': { ...sampleDrop, title: 'Tender office', owner: null, intro: '' },
  'drop, address confirmed': {
    ...sampleDrop,
    provenAddress: 'ben@harbour.example',
    received,
    values: { email: '', name: 'Ben Oduya', subject: 'Offer', message: 'As agreed.' },
  },
  'drop, nothing typed': {
    ...sampleDrop,
    problems: [
      { field: 'subject', reason: 'missing' },
      { field: 'email', reason: 'missing' },
      { field: 'files', reason: 'missing' },
    ],
  },
  'drop, wrong': {
    ...sampleDrop,
    received: received.slice(0, 1),
    values: { email: 'ben@harbour', name: 'Ben', subject: 'x', message: 'y' },
    problems: [
      { field: 'email', reason: 'invalid' },
      { field: 'name', sentence: 'A name is one line of at most 200 characters.' },
      { field: 'subject', sentence: 'Use at most 998 characters for the subject.' },
      { field: 'message', sentence: 'Use at most 262144 characters for the text, or put it in a file.' },
    ],
  },
  delivered: sampleDelivered,
  'delivered, more to come': {
    ...sampleDelivered,
    recipient: null,
    sendMoreUrl: `/requests/${id}`,
    receipt: { is: 'sent', address: 'ben@harbour.example' },
  },
  'delivered, receipt failed': {
    ...sampleDelivered,
    files: sampleDelivered.files.slice(0, 1),
    receipt: { is: 'failed', sentence: "We couldn't deliver the receipt to that address." },
  },
  'delivered, no mail': {
    ...sampleDelivered,
    files: sampleDelivered.files.map((file) => ({ ...file, sha256: null })),
    receipt: null,
  },
};
