// All pages, and the exports of the built page layer. Types only, so that the server does not import React.
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

/** An immutable file under its content-hashed path, below the base path. */
export interface Asset {
  path: string;
  contentType: string;
  body: string | Uint8Array;
  /** Precompressed by the build; empty where compression gains nothing, absent before loading. */
  encoded?: Partial<Record<Encoding, Uint8Array>>;
}

export interface Pages {
  renderPage(page: Page, frame: Frame): string;
  pageStatus(page: Page): number;
  /** For the `Refresh` header of pages that reload automatically, else null. */
  refreshSeconds(page: Page): number | null;
  /**
   * Paths of the page's optional scripts, below the base path; the markup already includes them. If there are any, the
   * page's policy needs `script-src 'self'; connect-src 'self'`.
   */
  pageScripts(page: Page, isSharedBrowser?: boolean): string[];
  assets: Asset[];
}
