// HTTP status and automatic reload of each page.
import type { DropPage, RequestPage } from './delivery-props.ts';
import type { ChoosePasswordPage, ForgotPage, SignInPage } from './identity-props.ts';
import type { Page } from './page.ts';
import type { NotAvailablePage } from './props.ts';

export function pageStatus(page: Page): number {
  switch (page.kind) {
    case 'mail':
    case 'message':
    case 'delivered':
    case 'signed-out':
    case 'link':
    case 'setup-done':
    case 'home':
    case 'api-docs':
    case 'recovery-codes':
      return 200;
    case 'sign-in':
      return signInStatus(page);
    case 'forgot':
      return forgotStatus(page);
    case 'reset':
    case 'invitation':
    case 'new-password':
      return choiceStatus(page);
    case 'pairing':
      return page.step.is === 'code' && page.step.problem !== null ? 422 : 200;
    case 'totp-setup':
    case 'passkey-setup':
    case 'recipient-passkeys':
      return page.problem === null ? 200 : 422;
    case 'request':
    case 'drop':
      return deliveryStatus(page);
    case 'link-password':
      return { ask: 200, empty: 422, wrong: 422, paused: 429 }[page.state.is];
    case 'confirm-address':
      if (page.passkey !== null && page.passkey.problem !== null) return 422;
      if (page.step.is === 'address' && page.step.notice?.is === 'wait') return 429;
      return 'problem' in page.step && page.step.problem !== null ? 422 : 200;
    case 'setup-mail':
      return page.problems.length > 0 || page.failed !== null ? 422 : 200;
    case 'setup':
      return page.problems.length > 0 ? 422 : 200;
    case 'not-available':
      return reasonStatus[page.reason.is];
    case 'wait':
      return 429;
    case 'error':
    case 'problem':
      return page.status;
  }
}

function signInStatus({ step }: SignInPage): number {
  if (step.is === 'locked') return 429;
  if (step.is === 'suspended') return 403;
  return 'problem' in step && step.problem !== null ? 422 : 200;
}

function forgotStatus({ state }: ForgotPage): number {
  return state.is === 'ask' && state.problem !== null ? 422 : 200;
}

function choiceStatus({ state }: ChoosePasswordPage): number {
  if (state.is !== 'choose') return 410;
  return state.problems.length > 0 ? 422 : 200;
}

function deliveryStatus({ problems }: RequestPage | DropPage): number {
  return problems.length > 0 ? 422 : 200;
}

/** A header: a reload of these pages loses nothing. */
export function refreshSeconds(page: Page): number | null {
  return page.kind === 'not-available' && page.reason.is === 'maintenance' ? 30 : null;
}

const reasonStatus: Record<NotAvailablePage['reason']['is'], number> = {
  expired: 410,
  'download-limit': 410,
  stopped: 410,
  removed: 410,
  'download-ended': 410,
  'request-closed': 410,
  'drop-moved': 410,
  unknown: 404,
  'for-programs': 401,
  'not-allowed': 403,
  'too-many-tries': 429,
  maintenance: 503,
};
