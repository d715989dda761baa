// Renders props to static HTML; no React in the browser.
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { ApiDocsView } from './api-docs.tsx';
import { assets } from './assets.ts';
import { ChoosePasswordView } from './choose-password.tsx';
import { ConfirmAddressView } from './confirm-address.tsx';
import { DeliveredView } from './delivered.tsx';
import { DropView } from './drop.tsx';
import { ForgotView } from './forgot.tsx';
import { HomeView } from './home.tsx';
import { LinkView } from './link.tsx';
import { LinkPasswordView } from './link-password.tsx';
import { MailView } from './mail.tsx';
import { MessageView } from './message.tsx';
import { NotAvailableView } from './not-available.tsx';
import type { Page, Pages } from './page.ts';
import { PairingView } from './pairing.tsx';
import { FrameContext, ScriptsContext } from './parts/frame.tsx';
import { PasskeySetupView } from './passkey-setup.tsx';
import type { Frame } from './props.ts';
import { RecipientPasskeysView } from './recipient-passkeys.tsx';
import { RecoveryCodesView } from './recovery-codes.tsx';
import { RequestView } from './request.tsx';
import { pageScripts } from './scripts.ts';
import { SetupView } from './setup.tsx';
import { SetupDoneView } from './setup-done.tsx';
import { SetupMailView } from './setup-mail.tsx';
import { SignedOutView, SignInView } from './sign-in.tsx';
import { pageStatus, refreshSeconds } from './status.ts';
import { TotpSetupView } from './totp-setup.tsx';
import { ErrorView, ProblemView, WaitView } from './trouble.tsx';

function renderPage(page: Page, frame: Frame): string {
  const document = (
    <FrameContext value={frame}>
      <ScriptsContext value={pageScripts(page, frame.isSharedBrowser)}>{view(page)}</ScriptsContext>
    </FrameContext>
  );
  return `<!doctype html>${renderToStaticMarkup(document)}`;
}

function view(page: Page): ReactNode {
  switch (page.kind) {
    case 'mail':
      return <MailView page={page} />;
    case 'message':
      return <MessageView page={page} />;
    case 'sign-in':
      return <SignInView page={page} />;
    case 'signed-out':
      return <SignedOutView page={page} />;
    case 'forgot':
      return <ForgotView page={page} />;
    case 'reset':
    case 'invitation':
    case 'new-password':
      return <ChoosePasswordView page={page} />;
    case 'passkey-setup':
      return <PasskeySetupView page={page} />;
    case 'recipient-passkeys':
      return <RecipientPasskeysView page={page} />;
    case 'totp-setup':
      return <TotpSetupView page={page} />;
    case 'recovery-codes':
      return <RecoveryCodesView page={page} />;
    case 'pairing':
      return <PairingView page={page} />;
    case 'request':
      return <RequestView page={page} />;
    case 'drop':
      return <DropView page={page} />;
    case 'delivered':
      return <DeliveredView page={page} />;
    case 'link':
      return <LinkView page={page} />;
    case 'link-password':
      return <LinkPasswordView page={page} />;
    case 'confirm-address':
      return <ConfirmAddressView page={page} />;
    case 'not-available':
      return <NotAvailableView page={page} />;
    case 'setup':
      return <SetupView page={page} />;
    case 'setup-mail':
      return <SetupMailView page={page} />;
    case 'setup-done':
      return <SetupDoneView page={page} />;
    case 'home':
      return <HomeView page={page} />;
    case 'error':
      return <ErrorView page={page} />;
    case 'wait':
      return <WaitView page={page} />;
    case 'problem':
      return <ProblemView page={page} />;
    case 'api-docs':
      return <ApiDocsView page={page} />;
  }
}

export { assets, pageScripts, pageStatus, refreshSeconds, renderPage };

({ assets, pageScripts, pageStatus, refreshSeconds, renderPage }) satisfies Pages;
