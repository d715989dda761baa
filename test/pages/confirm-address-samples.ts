// Sample props of the address confirmation page in every state, for tests and the gallery.
import type { AddressStep, CodeStep, ConfirmAddressPage, ContinueStep } from '#web/pages/props.ts';

const confirm: Omit<ConfirmAddressPage, 'step'> = {
  kind: 'confirm-address',
  purpose: 'open',
  audience: 'recipientsOnly',
  sharedBy: { name: 'Alice Smith', address: 'alice@northlight.example' },
  fileCount: 3,
  subject: 'Drawings for the Harbour tender',
  signInUrl: '/sign-in?to=%2Fmessage%2FZk3',
  passkey: {
    form: { action: '/verify/passkey', csrf: 'bTz0tXc1V9' },
    passkey: { formAction: '/verify/passkey', options: {} },
    isRequired: false,
    problem: null,
  },
};

/** At a drop page, where nothing was shared with the visitor. */
const deliver: typeof confirm = {
  ...confirm,
  purpose: 'deliver',
  audience: null,
  fileCount: 0,
  subject: null,
  signInUrl: null,
};

const address: AddressStep = {
  is: 'address',
  form: { action: '/verify/address', csrf: 'bTz0tXc1V9' },
  knownAddress: null,
  otherAddressUrl: null,
  address: '',
  problem: null,
  notice: null,
};

const known: AddressStep = { ...address, knownAddress: 'b•••@harbour.example', otherAddressUrl: '/verify/other' };

const code: CodeStep = {
  is: 'code',
  form: { action: '/verify/code', csrf: 'bTz0tXc1V9' },
  sentTo: 'b•••@harbour.example',
  code: '',
  validMinutes: 10,
  rememberDays: 14,
  resend: { form: { action: '/verify/address', csrf: 'bTz0tXc1V9' }, waitSeconds: 30, isRefused: false },
  otherAddressUrl: '/verify/other',
  problem: null,
};

const anyTime = { ...code.resend, waitSeconds: 0 };

const fromMail: ContinueStep = {
  is: 'continue',
  form: { action: '/verify/link', csrf: 'bTz0tXc1V9' },
  address: 'b•••@harbour.example',
  rememberDays: 14,
  otherAddressUrl: '/verify/other',
};

export const confirmAddressSamples: Record<string, ConfirmAddressPage> = {
  'confirm-address': { ...confirm, step: address },
  'confirm-address, wrong form': {
    ...confirm,
    step: { ...address, address: 'ben@harbour', problem: { field: 'address', reason: 'invalid' } },
  },
  'confirm-address, missing': { ...confirm, step: { ...address, problem: { field: 'address', reason: 'missing' } } },
  'confirm-address, without passkeys': { ...confirm, step: address, passkey: null },
  'confirm-address, passkey required': {
    ...confirm,
    step: address,
    passkey: { ...confirm.passkey!, isRequired: true },
  },
  'confirm-address, passkey refused': {
    ...confirm,
    step: code,
    passkey: { ...confirm.passkey!, problem: 'This passkey isn’t set up here. Sign in another way.' },
  },
  'confirm-address, known address': { ...confirm, step: known },
  'confirm-address, anyone': { ...confirm, audience: 'anyoneSignedIn', step: address },
  'confirm-address, recipients and organisation': { ...confirm, audience: 'recipientsAndLocal', step: address },
  'confirm-address, recipients and colleagues': { ...confirm, audience: 'recipientsAndDomains', step: address },
  'confirm-address, message without files': { ...confirm, fileCount: 0, step: address },
  'confirm-address, no sender': {
    ...confirm,
    audience: 'anyoneSignedIn',
    sharedBy: null,
    subject: null,
    fileCount: 1,
    signInUrl: null,
    step: address,
  },
  'confirm-address, enough codes': { ...confirm, step: { ...address, notice: { is: 'wait', seconds: 400 } } },
  'confirm-address, other browser': { ...confirm, step: { ...address, notice: { is: 'elsewhere' } } },
  'confirm-address, old link': { ...confirm, step: { ...known, notice: { is: 'link-old' } } },
  'confirm-address, used link': { ...confirm, step: { ...known, notice: { is: 'link-used' } } },
  'confirm-address, code': { ...confirm, step: code },
  'confirm-address, code asked for too early': {
    ...confirm,
    step: { ...code, resend: { ...code.resend, waitSeconds: 400, isRefused: true } },
  },
  'confirm-address, code for a delivery': { ...deliver, step: code },
  'confirm-address, code filled in': { ...confirm, step: { ...code, code: 'K7QM-4XPA', resend: anyTime } },
  'confirm-address, wrong code': { ...confirm, step: { ...code, problem: { is: 'wrong', attemptsLeft: 1 } } },
  'confirm-address, old code': { ...confirm, step: { ...code, resend: anyTime, problem: { is: 'old' } } },
  'confirm-address, used code': { ...confirm, step: { ...code, resend: anyTime, problem: { is: 'used' } } },
  'confirm-address, too many wrong codes': {
    ...confirm,
    step: { ...code, resend: anyTime, problem: { is: 'too-many' } },
  },
  'confirm-address, no code': { ...confirm, step: { ...code, problem: { is: 'missing' } } },
  'confirm-address, from the mail': { ...confirm, step: fromMail },
  'confirm-address, from the mail of a delivery': { ...deliver, step: fromMail },
};
