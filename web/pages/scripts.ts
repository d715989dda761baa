// Which optional scripts a page has. Everything works without them; they make waiting and copying more pleasant.
import { downloadScript, passwordScript, uploadScript } from './assets.ts';
import type { Asset, Page } from './props.ts';

export function scriptsOf(page: Page): Asset[] {
  switch (page.kind) {
    case 'message':
    case 'link':
    case 'delivered':
    case 'setup-done':
    case 'totp-setup':
      return [downloadScript];
    case 'request':
    case 'drop':
      return [uploadScript];
    case 'sign-in':
      return page.step.is === 'password' ? [passwordScript] : [];
    case 'reset':
    case 'invitation':
      return page.state.is === 'choose' ? [passwordScript] : [];
    case 'link-password':
      return page.state.is === 'paused' ? [] : [passwordScript];
    case 'setup':
      return [passwordScript];
    default:
      return [];
  }
}

export function pageScripts(page: Page): string[] {
  return scriptsOf(page).map((script) => script.path);
}
