import { Outlet, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { PartBoundary } from '../parts/part-boundary.tsx';
import { useAccountScheme } from '../scheme.ts';
import { watchNavigation } from '../screen-focus.ts';
import { SearchButton, SearchHost } from '../screens/search/button.tsx';
import { useText } from '../texts.ts';
import { AccountMenu } from './account-menu.tsx';
import { AddressNotice } from './address-notice.tsx';
import { BottomBar } from './bottom-bar.tsx';
import { ConnectionNotice } from './connection-notice.tsx';
import { Brand, Rail } from './rail.tsx';
import { useReveal } from './reveal.ts';
import { SessionNotice } from './session-notice.tsx';
import classes from './shell.module.css';
import { Shortcuts } from './shortcuts.tsx';
import { SignInAgain } from './sign-in-again.tsx';
import { TransferTray } from './transfer-tray.tsx';

export function Shell() {
  const text = useText('shell');
  const router = useRouter();
  useEffect(() => watchNavigation(router), [router]);
  useAccountScheme();
  useReveal();
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#content">
        {text('skip')}
      </a>
      <Rail />
      <div className={classes.column}>
        <header className={classes.top}>
          <div className={classes.topBrand}>
            <Brand />
          </div>
          <SearchButton />
          <AccountMenu />
        </header>
        <main id="content" className={classes.main} tabIndex={-1}>
          <ConnectionNotice />
          <SessionNotice />
          <AddressNotice />
          <PartBoundary>
            <Outlet />
          </PartBoundary>
        </main>
      </div>
      <TransferTray />
      <BottomBar />
      <Shortcuts />
      <SearchHost />
      <SignInAgain />
    </div>
  );
}
