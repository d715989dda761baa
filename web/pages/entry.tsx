// The built page layer: props in, a whole HTML document out. Static markup only; the browser runs nothing of it.
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { assets } from './assets.ts';
import { ConfirmAddressView } from './confirm-address.tsx';
import { HomeView } from './home.tsx';
import { LinkView } from './link.tsx';
import { LinkPasswordView } from './link-password.tsx';
import { NotAvailableView } from './not-available.tsx';
import { FrameContext } from './parts/frame.tsx';
import type { Frame, Page, Pages } from './props.ts';
import { SetupView } from './setup.tsx';
import { SetupDoneView } from './setup-done.tsx';
import { pageStatus, refreshSeconds } from './status.ts';
import { ErrorView, ProblemView, WaitView } from './trouble.tsx';

function renderPage(page: Page, frame: Frame): string {
  return `<!doctype html>${renderToStaticMarkup(<FrameContext value={frame}>{view(page)}</FrameContext>)}`;
}

function view(page: Page): ReactNode {
  switch (page.kind) {
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
    default:
      throw new Error(`the page ${page.kind} is not drawn yet`);
  }
}

function pageScripts(_page: Page): string[] {
  return [];
}

export { assets, pageScripts, pageStatus, refreshSeconds, renderPage };

({ assets, pageScripts, pageStatus, refreshSeconds, renderPage }) satisfies Pages;
