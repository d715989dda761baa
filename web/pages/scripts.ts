import {
  countdownScript,
  downloadScript,
  handOverScript,
  passkeyScript,
  passwordScript,
  sharedBrowserScript,
  uploadScript,
} from './assets.ts';
import type { SignInPage } from './identity-props.ts';
import type { Asset, Page } from './page.ts';
import type { ConfirmAddressPage } from './props.ts';

export function scriptsOf(page: Page, isSharedBrowser = false): Asset[] {
  switch (page.kind) {
    case 'message':
    case 'link':
    case 'delivered':
    case 'setup-done':
    case 'totp-setup':
      return [downloadScript];
    case 'request':
    case 'drop':
      // First, because the upload script reads what this one removes.
      return isSharedBrowser ? [sharedBrowserScript, uploadScript] : [uploadScript];
    case 'sign-in':
      return signInScripts(page);
    case 'pairing':
      return page.step.is === 'key' && page.step.handOver !== null ? [handOverScript] : [];
    case 'passkey-setup':
    case 'recipient-passkeys':
      return [passkeyScript];
    case 'signed-out':
      return [sharedBrowserScript];
    case 'reset':
    case 'invitation':
    case 'new-password':
      return page.state.is === 'choose' ? [passwordScript] : [];
    case 'link-password':
      return page.state.is === 'paused' ? [countdownScript] : [passwordScript];
    case 'setup':
    case 'setup-mail':
      return [passwordScript];
    case 'wait':
      return [countdownScript];
    case 'confirm-address':
      return [...(isWaiting(page) ? [countdownScript] : []), ...(page.passkey === null ? [] : [passkeyScript])];
    default:
      return [];
  }
}

function signInScripts({ step }: SignInPage): Asset[] {
  if (step.is === 'password')
    return [sharedBrowserScript, passwordScript, ...(step.passkey === null ? [] : [passkeyScript])];
  if (step.is === 'second-factor') return step.passkey === null ? [] : [passkeyScript];
  return step.is === 'locked' ? [sharedBrowserScript, countdownScript] : [];
}

function isWaiting({ step }: ConfirmAddressPage): boolean {
  return step.is === 'code' ? step.resend.waitSeconds > 0 : step.is === 'address' && step.notice?.is === 'wait';
}

export function pageScripts(page: Page, isSharedBrowser = false): string[] {
  return scriptsOf(page, isSharedBrowser).map((script) => script.path);
}
