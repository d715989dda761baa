// Every page there is, and what the built page layer exports. Types alone, so that the server needs nothing of React.
import type { Encoding } from '../encodings.ts';
import type { ApiDocsPage } from './api-docs-props.ts';
import type { DeliveredPage, DropPage, RequestPage } from './delivery-props.ts';
import type {
  ChoosePasswordPage,
  ForgotPage,
  PairingPage,
  SignedOutPage,
  SignInPage,
  TotpSetupPage,
} from './identity-props.ts';
import type { MailPage } from './mail-props.ts';
import type { MessagePage } from './message-props.ts';
import type {
  ConfirmAddressPage,
  ErrorPage,
  Frame,
  HomePage,
  LinkPage,
  LinkPasswordPage,
  NotAvailablePage,
  ProblemPage,
  SetupDonePage,
  SetupPage,
  WaitPage,
} from './props.ts';

export type Page =
  | MailPage
  | MessagePage
  | SignInPage
  | ForgotPage
  | ChoosePasswordPage
  | SignedOutPage
  | TotpSetupPage
  | PairingPage
  | RequestPage
  | DropPage
  | DeliveredPage
  | LinkPage
  | LinkPasswordPage
  | ConfirmAddressPage
  | NotAvailablePage
  | SetupPage
  | SetupDonePage
  | HomePage
  | ErrorPage
  | WaitPage
  | ProblemPage
  | ApiDocsPage;

/** A file served unchanged for ever under its hashed path, below the base path. */
export interface Asset {
  path: string;
  contentType: string;
  body: string | Uint8Array;
  /** The same, compressed by the build; empty where that gains nothing. Absent before it was loaded. */
  encoded?: Partial<Record<Encoding, Uint8Array>>;
}

/** What the built entry exports. */
export interface Pages {
  /** A whole document, ready to send as text/html; charset=utf-8. */
  renderPage(page: Page, frame: Frame): string;
  /** The status the page is sent with. */
  pageStatus(page: Page): number;
  /** For the `Refresh` header of pages that try again by themselves, else null. */
  refreshSeconds(page: Page): number | null;
  /**
   * Paths of the page's optional scripts, below the base path; they are in the markup already. Where the list is not
   * empty the page's policy needs `script-src 'self'; connect-src 'self'`.
   */
  pageScripts(page: Page, isSharedBrowser?: boolean): string[];
  assets: Asset[];
}
