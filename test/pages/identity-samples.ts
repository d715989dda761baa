// Sample props of the account pages in every state, for tests and the gallery.
import type {
  ChooseState,
  ForgotPage,
  LinkStep,
  PairingPage,
  PasswordStep,
  RecipientPasskeysPage,
  SecondFactorStep,
  TotpSetupPage,
} from '#web/pages/identity-props.ts';
import type { Page } from '#web/pages/page.ts';

const csrf = 'bTz0tXc1V9';
const alice = { name: 'Alice Smith', address: 'alice@northlight.example' };

const password: PasswordStep = {
  is: 'password',
  form: { action: '/sign-in', csrf, hidden: { return_to: '/app' } },
  email: '',
  keepHours: 12,
  isKeepTicked: false,
  isSharedTicked: false,
  forgotUrl: '/forgot',
  reason: null,
  problem: null,
  services: [],
  serviceProblem: null,
  passkey: { formAction: '/sign-in/passkey', options: {} },
};

const remove = { action: '/verify/passkeys/remove', csrf };
const recipientPasskeys: RecipientPasskeysPage = {
  kind: 'recipient-passkeys',
  address: 'ben@harbour.example',
  standing: 'allowed',
  backUrl: '/message/Zk3hT9QmW2xY7LpR4vNc8B',
  confirmUrl: '/verify/other?target=message:Zk3hT9QmW2xY7LpR4vNc8B',
  passkeys: [],
  creation: { form: { action: '/verify/passkeys', csrf }, passkey: { formAction: '/verify/passkeys', options: {} } },
  use: null,
  problem: null,
};

const services = [
  { name: 'Northlight ID', url: '/sign-in/oidc/oidc' },
  { name: 'Partners', url: '/saml/init' },
];

const link: LinkStep = {
  is: 'link',
  form: { action: '/sign-in/link', csrf },
  email: 'alice@northlight.example',
  service: 'Northlight ID',
  hasPassword: true,
  isCodeSent: false,
  startOverUrl: '/sign-in',
  problem: null,
};

const code: SecondFactorStep = {
  is: 'second-factor',
  form: { action: '/sign-in/code', csrf },
  startOverUrl: '/sign-in',
  problem: null,
  hasCode: true,
  passkey: null,
};

const asking: ForgotPage['state'] = { is: 'ask', form: { action: '/forgot', csrf }, email: '', problem: null };

const choose: ChooseState = {
  is: 'choose',
  form: { action: '/reset/Zk3hT9QmW2xY7LpR4vNc8B', csrf },
  email: 'alice@northlight.example',
  invitedBy: null,
  name: '',
  minPasswordLength: 12,
  problems: [],
};

const totp: TotpSetupPage = {
  kind: 'totp-setup',
  form: { action: '/account/second-factor', csrf },
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  otpauthUri:
    'otpauth://totp/Northlight:alice%40northlight.example?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Northlight',
  email: 'alice@northlight.example',
  problem: null,
};

const pairing: PairingPage = {
  kind: 'pairing',
  email: 'alice@northlight.example',
  step: { is: 'code', form: { action: '/connect', csrf }, problem: null },
};

const tried = { ...password, email: 'alice@northlight.example', isKeepTicked: true };

export const identitySamples: Record<string, Page> = {
  'sign-in': { kind: 'sign-in', step: password },
  'sign-in, services': { kind: 'sign-in', step: { ...password, services } },
  'sign-in, service refused': {
    kind: 'sign-in',
    step: {
      ...password,
      services,
      serviceProblem: 'None of your groups at Northlight ID gives you an account here. Ask your administrator.',
    },
  },
  'sign-in, link': { kind: 'sign-in', step: link },
  'sign-in, link, code sent': { kind: 'sign-in', step: { ...link, isCodeSent: true } },
  'sign-in, link, wrong password': {
    kind: 'sign-in',
    step: { ...link, problem: { field: 'password', sentence: 'That e-mail address and password don’t match.' } },
  },
  'sign-in, needed': { kind: 'sign-in', step: { ...password, reason: 'needed' } },
  'sign-in, session ended': { kind: 'sign-in', step: { ...tried, reason: 'session-ended', keepHours: 720 } },
  'sign-in, password changed': { kind: 'sign-in', step: { ...tried, reason: 'password-changed', keepHours: null } },
  'sign-in, nothing typed': {
    kind: 'sign-in',
    step: { ...password, problem: { is: 'missing', fields: ['password', 'email'] } },
  },
  'sign-in, wrong pair': { kind: 'sign-in', step: { ...tried, problem: { is: 'wrong' } } },
  'sign-in, refused': {
    kind: 'sign-in',
    step: {
      ...tried,
      forgotUrl: null,
      problem: { is: 'sentence', sentence: 'Too many people are signing in right now. Try again in a few seconds.' },
    },
  },
  'sign-in, second factor': { kind: 'sign-in', step: code },
  'sign-in, second factor, missing': { kind: 'sign-in', step: { ...code, problem: { is: 'missing' } } },
  'sign-in, second factor, wrong': { kind: 'sign-in', step: { ...code, problem: { is: 'wrong' } } },
  'sign-in, second factor, passkey': {
    kind: 'sign-in',
    step: { ...code, hasCode: false, passkey: { formAction: '/sign-in/second/passkey', options: {} } },
  },
  'sign-in, locked': { kind: 'sign-in', step: { is: 'locked', minutes: 15, forgotUrl: '/forgot' } },
  'sign-in, suspended': { kind: 'sign-in', step: { is: 'suspended' } },
  'sign-in, already signed in': {
    kind: 'sign-in',
    step: { is: 'signed-in', person: alice, continueUrl: '/app', signOutForm: { action: '/sign-out', csrf } },
  },
  'passkey set-up': {
    kind: 'passkey-setup',
    form: { action: '/passkey', csrf },
    passkey: { formAction: '/passkey', options: {} },
    problem: null,
  },
  'passkey set-up, refused': {
    kind: 'passkey-setup',
    form: { action: '/passkey', csrf },
    passkey: { formAction: '/passkey', options: {} },
    problem: 'Your passkey couldn’t be checked. Try again.',
  },
  'passkeys of an address': {
    ...recipientPasskeys,
    passkeys: [
      { id: 'a', name: 'Firefox 145, Windows 11', createdOn: '2026-11-02', lastUsedOn: '2026-11-18', remove },
      { id: 'b', name: 'Chrome 142, Android 16', createdOn: '2026-11-17', lastUsedOn: null, remove },
    ],
  },
  'passkeys of an address, none': recipientPasskeys,
  'passkeys of an address, refused': {
    ...recipientPasskeys,
    standing: 'use_passkey',
    passkeys: [
      { id: 'a', name: 'Firefox 145, Windows 11', createdOn: '2026-11-02', lastUsedOn: '2026-11-18', remove: null },
    ],
    creation: null,
    use: { form: { action: '/verify/passkey', csrf }, passkey: { formAction: '/verify/passkey', options: {} } },
    problem: 'Your passkey couldn’t be checked. Try again.',
  },
  'passkeys of an address, proven long ago': { ...recipientPasskeys, standing: 'confirm_again', creation: null },
  'passkeys of an address, shared computer': { ...recipientPasskeys, standing: 'shared', creation: null },
  'signed-out': { kind: 'signed-out', signInUrl: '/sign-in' },
  'pairing, key': {
    ...pairing,
    step: {
      is: 'key',
      apiKey: 'sample',
      handOver: { action: 'http://localhost:52000/', hidden: { api_key: 'sample' } },
    },
  },
  forgot: { kind: 'forgot', signInUrl: '/sign-in', state: asking },
  'forgot, missing': {
    kind: 'forgot',
    signInUrl: '/sign-in',
    state: { ...asking, problem: { field: 'email', reason: 'missing' } },
  },
  'forgot, invalid': {
    kind: 'forgot',
    signInUrl: '/sign-in',
    state: { ...asking, email: 'alice@', problem: { field: 'email', reason: 'invalid' } },
  },
  'forgot, sent': {
    kind: 'forgot',
    signInUrl: '/sign-in',
    state: { is: 'sent', email: 'alice@northlight.example', validMinutes: 60 },
  },
  reset: { kind: 'reset', state: choose },
  'reset, too short': {
    kind: 'reset',
    state: { ...choose, problems: [{ field: 'password', reason: 'too-short' }] },
  },
  'reset, too common': {
    kind: 'reset',
    state: { ...choose, problems: [{ field: 'password', reason: 'too-common' }] },
  },
  'reset, used': { kind: 'reset', state: { is: 'used', signInUrl: '/sign-in', newLinkUrl: '/forgot' } },
  'reset, expired': { kind: 'reset', state: { is: 'expired', signInUrl: '/sign-in', newLinkUrl: '/forgot' } },
  invitation: { kind: 'invitation', state: { ...choose, invitedBy: alice, email: 'ben@northlight.example' } },
  'invitation, nothing typed': {
    kind: 'invitation',
    state: {
      ...choose,
      email: 'ben@northlight.example',
      problems: [
        { field: 'password', reason: 'missing' },
        { field: 'name', reason: 'missing' },
      ],
    },
  },
  'invitation, name too long': {
    kind: 'invitation',
    state: { ...choose, name: 'Ben '.repeat(60), problems: [{ field: 'name', reason: 'too-long' }] },
  },
  'invitation, used': { kind: 'invitation', state: { is: 'used', signInUrl: '/sign-in', newLinkUrl: null } },
  'new-password': { kind: 'new-password', state: choose },
  'totp-setup': totp,
  'recovery-codes': {
    kind: 'recovery-codes',
    codes: ['abcde-fghij', 'kmnpq-rstuv'],
    continueUrl: 'https://files.northlight.example/sign-in',
  },
  'totp-setup, missing': { ...totp, problem: { is: 'missing' } },
  'totp-setup, wrong': { ...totp, problem: { is: 'wrong' } },
  pairing,
  'pairing, wrong code': {
    ...pairing,
    step: { is: 'code', form: { action: '/connect', csrf }, problem: { is: 'wrong' } },
  },
  'pairing, confirm': {
    ...pairing,
    step: {
      is: 'confirm',
      form: { action: '/connect/answer', csrf, hidden: { code: 'K7QM-4XPA' } },
      name: 'waybill on anna-laptop',
      address: '192.0.2.17',
      askedAt: Date.UTC(2026, 10, 15, 14, 3),
    },
  },
  'pairing, allowed': { ...pairing, step: { is: 'done', isAllowed: true } },
  'pairing, refused': { ...pairing, step: { is: 'done', isAllowed: false } },
};
