// Starts the app: who is signed in, the sentences of the frame, then the routes.
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { directionOf } from '#language/locale.ts';
import { queryClient } from './api.ts';
import { appRoot, basePath, styleNonce } from './host-page.ts';
import { type Me, MeContext, readMe, useFreshMe } from './me.ts';
import { router } from './routes.tsx';
import { LocaleContext, localeNow, onLocale, speak } from './texts.ts';
import { openTransfers } from './transfers/transfers.ts';
import { UiProvider } from './ui/provider.tsx';

const [me] = await Promise.all([readMe(), speak(document.documentElement.lang, ['shell', 'ui', 'upload'])]);

if (me === null) {
  const here = location.pathname.slice(basePath.length) + location.search;
  location.replace(`${basePath}/sign-in?to=${encodeURIComponent(here)}`);
} else {
  openTransfers(me);
  createRoot(appRoot).render(
    <QueryClientProvider client={queryClient}>
      <App me={me} />
    </QueryClientProvider>,
  );
}

function App({ me }: { me: Me }) {
  const locale = useSyncExternalStore(onLocale, localeNow);
  return (
    <LocaleContext value={locale}>
      <MeContext value={useFreshMe(me)}>
        <UiProvider locale={locale} direction={directionOf(locale)} styleNonce={styleNonce}>
          <RouterProvider router={router} />
        </UiProvider>
      </MeContext>
    </LocaleContext>
  );
}
