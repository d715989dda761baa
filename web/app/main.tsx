// Starts the app: who is signed in, the sentences of the frame, then the routes.
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { directionOf } from '#language/locale.ts';
import { clearWithoutSession } from '../uploads/shared-browser.ts';
import { queryClient } from './api.ts';
import { suspectConnection, untilOnline, watchConnection } from './connection.ts';
import { appRoot, styleNonce } from './host-page.ts';
import { fetchFile } from './late.tsx';
import { listenToServer } from './live.ts';
import { type Me, MeContext, useFreshMe } from './me.ts';
import { watchPresence } from './presence.ts';
import { router } from './routes.tsx';
import { goToSignIn, readMe } from './session.ts';
import { LocaleContext, localeNow, onLocale, speak } from './texts.ts';
import { openTransfers } from './transfers/transfers.ts';
import { UiProvider } from './ui/provider.tsx';

/** Between two attempts to learn who is signed in. */
const startRetryMs = 2_000;

watchPresence();
watchConnection();
const [me] = await Promise.all([
  findMe(),
  fetchFile(() => speak(document.documentElement.lang, ['shell', 'ui', 'upload'])),
]);

if (me === null) {
  await clearWithoutSession();
  goToSignIn();
} else {
  openTransfers(me);
  // Before anything is drawn: what screens read while it listens need not be read again.
  listenToServer(queryClient);
  createRoot(appRoot).render(
    <QueryClientProvider client={queryClient}>
      <App me={me} />
    </QueryClientProvider>,
  );
}

/** A server that starts again between the page and this call is waited for. */
async function findMe(): Promise<Me | null> {
  for (;;) {
    try {
      return await readMe();
    } catch {
      suspectConnection();
      await pause(startRetryMs);
      await untilOnline();
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function App({ me }: { me: Me }) {
  const locale = useSyncExternalStore(onLocale, localeNow);
  const fresh = useFreshMe(me);
  return (
    <LocaleContext value={locale}>
      <MeContext value={fresh}>
        <UiProvider locale={locale} direction={directionOf(locale)} styleNonce={styleNonce}>
          <RouterProvider router={router} context={{ role: fresh.role }} />
        </UiProvider>
      </MeContext>
    </LocaleContext>
  );
}
