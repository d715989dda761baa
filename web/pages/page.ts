// Types only, so that the server does not import React.
import type { Encoding } from '../encodings.ts';
import type { ApiDocsPage } from './api-docs-props.ts';
import type { DeliveredPage, DropPage, RequestPage } from './delivery-props.ts';
import type {
  ChoosePasswordPage,
  ForgotPage,
  PairingPage,
  PasskeySetupPage,
  RecipientPasskeysPage,
  RecoveryCodesPage,
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
  SetupMailPage,
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
  | RecoveryCodesPage
  | PasskeySetupPage
  | RecipientPasskeysPage
  | PairingPage
  | RequestPage
  | DropPage
  | DeliveredPage
  | LinkPage
  | LinkPasswordPage
  | ConfirmAddressPage
  | NotAvailablePage
  | SetupMailPage
  | SetupPage
  | SetupDonePage
  | HomePage
  | ErrorPage
  | WaitPage
  | ProblemPage
  | ApiDocsPage;

/** Immutable; its path contains a content hash. */
export interface Asset {
  path: string;
  contentType: string;
  body: string | Uint8Array;
  /** Empty where compression gains nothing, absent before loading. */
  encoded?: Partial<Record<Encoding, Uint8Array>>;
}

export interface Pages {
  renderPage(page: Page, frame: Frame): string;
  pageStatus(page: Page): number;
  /** Value of the `Refresh` header. */
  refreshSeconds(page: Page): number | null;
  /** A page with scripts needs `script-src 'self'; connect-src 'self'` in its policy. */
  pageScripts(page: Page, isSharedBrowser?: boolean): string[];
  assets: Asset[];
}
