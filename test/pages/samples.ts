// Sample props of every page and state, including hostile names, for tests and the gallery.

import type { Page } from '#web/pages/page.ts';
import type { Frame, LinkPage, NotAvailablePage, SetupMailPage, SetupPage } from '#web/pages/props.ts';
import { confirmAddressSamples } from './confirm-address-samples.ts';
import { deliverySamples } from './delivery-samples.ts';
import { identitySamples } from './identity-samples.ts';
import { mailSamples } from './mail-samples.ts';
import { messageSamples } from './message-samples.ts';

export const sampleFrame: Frame = {
  locale: 'en',
  timeZone: 'Europe/Stockholm',
  productName: 'Waybill',
  organisationName: 'Northlight Architects',
  basePath: '',
  contactAddress: 'files@northlight.example',
  privacyUrl: 'https://northlight.example/privacy',
  reference: 'Zk3hT9QmW2xY7LpR4vNc8B',
  brandStylesheetUrl: null,
  logo: null,
  footerText: null,
  languageSwitch: null,
};

/** Before set-up, without an organisation. */
export const freshFrame: Frame = {
  ...sampleFrame,
  organisationName: null,
  contactAddress: null,
  privacyUrl: null,
  reference: null,
};

const alice = { name: 'Alice Smith', address: 'alice@northlight.example' };
const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const form = { action: '/link/Zk3hT9QmW2xY7LpR4vNc8B', csrf: 'bTz0tXc1V9' };

const link: LinkPage = {
  kind: 'link',
  file: { name: 'Harbour-sections-rev-C.pdf', sizeText: '48.2 MB', sha256 },
  sharedBy: alice,
  until: { date: '2026-11-30', daysLeft: 15 },
  download: { is: 'ready', form },
  programUrl: 'https://files.northlight.example/link/5Vd2kQ8sYp3mZxT7bN4wRc/download',
  notices: [],
  owner: null,
};

/** File names that must be harmless. */
export const hostileNames: Record<string, string> = {
  script: '<script>alert("1")</script><img src=x onerror=alert(1)>.pdf',
  'right-to-left override': 'invoice-\u202Efdp.exe',
  'attribute breaker': '" onmouseover="alert(1)" x=\'.txt',
  shell: "$(rm -rf ~)`reboot`'; echo ‘pwned’.zip",
  long: `${'a-very-long-name-that-goes-on-'.repeat(8)}and-ends.docx`,
  unbroken: `${'W'.repeat(250)}.tiff`,
  arabic: 'تقرير المشروع النهائي 2026.pdf',
  emoji: '👩‍🔧 Harbour 🏗️ plan ✅.png',
  'no extension': 'README',
  controls: 'two\u0000 lines\u2028here\u200B.txt',
};

const setup: SetupPage = {
  kind: 'setup',
  form: { action: '/setup' },
  tokenSource: { is: 'file', path: '/data/setup-token' },
  minPasswordLength: 12,
  values: { token: '', name: '', email: '', organisation: '', public_address: 'http://localhost:8080' },
  addressInUse: 'http://localhost:8080',
  publicAddressSetBy: null,
  problems: [],
};

const setupMail: SetupMailPage = {
  kind: 'setup-mail',
  form: { action: '/setup/mail', csrf: 'token' },
  skipUrl: '/setup/done',
  to: 'alice@northlight.example',
  values: {},
  problems: [],
  failed: null,
};

const filledSetup = {
  token: 'Kq3vT9mRzX7bLw2NcY5hPd',
  name: 'Alice Smith',
  email: 'alice@northlight',
  organisation: 'Northlight Architects',
  public_address: 'https://files.northlight.example',
};

function gone(reason: NotAvailablePage['reason'], about: string | null = null): NotAvailablePage {
  return { kind: 'not-available', reason, about };
}

const subject = 'Drawings for the Harbour tender';

/** Every state by a readable name. */
export const samplePages: Record<string, Page> = {
  ...messageSamples,
  ...mailSamples,
  ...identitySamples,
  ...deliverySamples,
  link,
  'link, last day': { ...link, until: { date: '2026-11-15', daysLeft: 0 } },
  'link, no end date, no sender': { ...link, until: null, sharedBy: null },
  'link, address hidden': { ...link, sharedBy: { name: 'Alice Smith', address: null } },
  'link, being checked': {
    ...link,
    download: { is: 'being-checked', forViruses: true, percent: null, checkAgainUrl: '/link/Zk3hT9QmW2xY7LpR4vNc8B' },
  },
  'link, trouble': { ...link, notices: [{ is: 'download-trouble', requestId: '7f3a9c21' }] },
  'link, refused': {
    ...link,
    notices: [
      {
        is: 'sentence',
        tone: 'danger',
        sentence: 'The connection to the storage was lost. Try again in a minute.',
        requestId: null,
      },
    ],
  },
  'link, owner': {
    ...link,
    owner: {
      linkUrl: 'https://files.northlight.example/link/Zk3hT9QmW2xY7LpR4vNc8B',
      downloadCount: 4,
      settingsUrl: '/app/links/Zk3hT9QmW2xY7LpR4vNc8B',
    },
  },
  ...Object.fromEntries(
    Object.entries(hostileNames).map(([what, name]) => [
      `link, hostile name: ${what}`,
      { ...link, file: { ...link.file, name } },
    ]),
  ),
  'link-password': { kind: 'link-password', form, sharedBy: alice, state: { is: 'ask' } },
  'link-password, empty': { kind: 'link-password', form, sharedBy: null, state: { is: 'empty' } },
  'link-password, wrong': {
    kind: 'link-password',
    form,
    sharedBy: alice,
    state: { is: 'wrong', attemptsLeft: 4, pauseMinutes: 10 },
  },
  'link-password, paused': { kind: 'link-password', form, sharedBy: alice, state: { is: 'paused', seconds: 600 } },
  ...confirmAddressSamples,
  'not-available, expired': gone({ is: 'expired', until: '2026-11-30', fileCount: 3, sender: alice }, subject),
  'not-available, expired, no details': gone({ is: 'expired', until: null, fileCount: 1, sender: null }),
  'not-available, download limit': gone({ is: 'download-limit', limit: 3, fileCount: 3, sender: alice }, subject),
  'not-available, download limit, no details': gone({ is: 'download-limit', limit: null, fileCount: 1, sender: null }),
  'not-available, stopped': gone({ is: 'stopped', on: '2026-11-12', fileCount: 3, sender: alice }, subject),
  'not-available, stopped, no details': gone({ is: 'stopped', on: null, fileCount: 1, sender: null }),
  'not-available, removed': gone({ is: 'removed', fileCount: 1 }),
  'not-available, request answered': gone({ is: 'request-closed', wasAnswered: true, on: '2026-11-12', asker: alice }),
  'not-available, request answered, no details': gone({
    is: 'request-closed',
    wasAnswered: true,
    on: null,
    asker: null,
  }),
  'not-available, request closed': gone({ is: 'request-closed', wasAnswered: false, on: '2026-11-12', asker: alice }),
  'not-available, request closed, no details': gone({
    is: 'request-closed',
    wasAnswered: false,
    on: null,
    asker: null,
  }),
  'not-available, drop moved': gone({ is: 'drop-moved' }),
  'not-available, download ended': gone(
    { is: 'download-ended', pageUrl: '/message/Zk3', isLimit: false, sender: alice },
    subject,
  ),
  'not-available, download limit of one file': gone(
    { is: 'download-ended', pageUrl: '/message/Zk3', isLimit: true, sender: alice },
    subject,
  ),
  'not-available, download ended, no details': gone({
    is: 'download-ended',
    pageUrl: null,
    isLimit: false,
    sender: null,
  }),
  'not-available, for programs': gone({ is: 'for-programs' }),
  'not-available, unknown': gone({ is: 'unknown' }),
  'not-available, not allowed': gone({
    is: 'not-allowed',
    address: 'b•••@harbour.example',
    fileCount: 3,
    otherAddressUrl: '/verify',
    sender: alice,
  }),
  'not-available, not allowed, no details': gone({
    is: 'not-allowed',
    address: 'b•••@harbour.example',
    fileCount: 1,
    otherAddressUrl: null,
    sender: null,
  }),
  'not-available, not allowed, no address': gone({
    is: 'not-allowed',
    address: null,
    fileCount: 1,
    otherAddressUrl: null,
    sender: alice,
  }),
  'not-available, too many tries': gone({ is: 'too-many-tries', minutes: 10 }),
  'not-available, maintenance': gone({ is: 'maintenance', message: null }),
  setup,
  'setup, nothing typed': {
    ...setup,
    values: { ...setup.values, public_address: '' },
    problems: [
      { field: 'token', reason: 'missing' },
      { field: 'name', reason: 'missing' },
      { field: 'email', reason: 'missing' },
      { field: 'password', reason: 'missing' },
      { field: 'organisation', reason: 'missing' },
      { field: 'public_address', reason: 'missing' },
    ],
  },
  'setup, wrong': {
    ...setup,
    values: filledSetup,
    problems: [
      { field: 'token', reason: 'wrong' },
      { field: 'email', reason: 'invalid' },
      { field: 'password', reason: 'too-short' },
    ],
  },
  'setup, wrong again': {
    ...setup,
    values: { ...filledSetup, public_address: 'files' },
    problems: [
      { field: 'token', reason: 'too-many-tries' },
      { field: 'name', reason: 'too-long' },
      { field: 'password', reason: 'too-common' },
      { field: 'organisation', reason: 'too-long' },
      { field: 'public_address', reason: 'invalid' },
    ],
  },
  'setup, from the environment': {
    ...setup,
    tokenSource: { is: 'environment', variable: 'WAYBILL_SETUP_TOKEN' },
    values: filledSetup,
    publicAddressSetBy: 'WAYBILL_BASE_URL',
  },
  'setup-mail': setupMail,
  'setup-mail, refused': {
    ...setupMail,
    values: { ...setupMail.values, way: 'password', host: 'mail.example.com', port: '587', user: 'files' },
    failed: {
      sentence: 'The mail server doesn’t accept the user name and password.',
      cure: 'Check both. Some providers want an app password, or OAuth.',
      said: '535 5.7.8 Authentication failed',
    },
  },
  'setup-done': {
    kind: 'setup-done',
    apiKey: 'Kq7ZtW3mXy9LpR4vNc8BhT',
    email: 'alice@northlight.example',
    sendUrl: '/app/send',
    checklistUrl: '/app/admin',
    apiUrl: '/docs/api',
    baseUrl: 'https://files.northlight.example',
    masterKeyFile: '/data/master.key',
  },
  'API pages': {
    kind: 'api-docs',
    title: 'FileLinks',
    sections: [
      { href: '/docs/api', label: 'The API', isCurrent: false },
      { href: '/docs/api/filelinks', label: 'FileLinks', isCurrent: true },
    ],
    blocks: [
      { is: 'heading', level: 2, id: 'createFileLink', text: 'Create a FileLink' },
      { is: 'call', method: 'POST', path: '/link' },
      { is: 'text', text: 'Needs an API key. Send `Idempotency-Key`.' },
      { is: 'table', head: ['Field sent', 'Type', 'Meaning'], rows: [['`link`', 'object', 'What is made.']] },
      { is: 'examples', examples: [{ language: 'curl', code: "curl -X POST 'https://files.example.com/link'" }] },
    ],
  },
  home: { kind: 'home', setupUrl: null, signInUrl: '/sign-in', apiUrl: '/docs/api' },
  'home, API not public': { kind: 'home', setupUrl: null, signInUrl: '/sign-in', apiUrl: null },
  'home, not set up': { kind: 'home', setupUrl: '/setup', signInUrl: '/sign-in', apiUrl: '/docs/api' },
  error: { kind: 'error', status: 500, requestId: '7f3a9c21' },
  wait: { kind: 'wait', seconds: 40 },
  problem: {
    kind: 'problem',
    status: 403,
    sentence: 'This form was open too long. Go back, load the page again and repeat your entry.',
    backUrl: '/link/Zk3hT9QmW2xY7LpR4vNc8B',
    requestId: '7f3a9c21',
  },
};

/** The frame a sample is shown in. */
export function frameOf(page: Page): Frame {
  const isFresh = page.kind === 'setup' || (page.kind === 'home' && page.setupUrl !== null);
  return isFresh ? freshFrame : sampleFrame;
}
