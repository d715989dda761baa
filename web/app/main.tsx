// Starts the app.
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { directionOf } from '#language/locale.ts';
import { recoverStorage } from '../uploads/durable-storage.ts';
import { clearWithoutSession } from '../uploads/shared-browser.ts';
import { queryClient } from './api.ts';
import { suspectConnection, untilOnline, watchConnection } from './connection.ts';
import { appRoot, styleNonce } from './host-page.ts';
import { fetchFile } from './lazy-files.tsx';
import { listenToServer } from './live.ts';
import { type Me, MeContext, useFreshMe } from './me.ts';
import { router } from './routes.tsx';
import { fetchMe, goToSignIn } from './session.ts';
import { currentLocale, LocaleContext, onLocale, setLocale } from './texts.ts';
import { openTransfers } from './transfers/transfers.ts';
import { UiProvider } from './ui/provider.tsx';
import { watchUserActivity } from './user-activity.ts';

const startRetryMs = 2_000;

watchUserActivity();
watchConnection();
const [me] = await Promise.all([
  findMe(),
  fetchFile(() => setLocale(document.documentElement.lang, ['shell', 'ui', 'upload'])),
  recoverStorage(),
]);

if (me === null) {
  await clearWithoutSession();
  goToSignIn();
} else {
  openTransfers(me);
  // Listen before rendering, so that no change is missed.
  listenToServer(queryClient);
  createRoot(appRoot).render(
    <QueryClientProvider client={queryClient}>
      <App me={me} />
    </QueryClientProvider>,
  );
}

/** Waits if the server restarts between the page and this call. */
async function findMe(): Promise<Me | null> {
  for (;;) {
    try {
      return await fetchMe();
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
  const locale = useSyncExternalStore(onLocale, currentLocale);
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
