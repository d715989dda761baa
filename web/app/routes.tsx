// Routes of the app. Screens and texts are lazy-loaded.
import { createRoute, createRouter } from '@tanstack/react-router';
import type { FunctionComponent } from 'react';
import { consoleRoutes } from './admin/routes.tsx';
import { basePath } from './host-page.ts';
import { fetchFile, lazyPart } from './lazy-files.tsx';
import { NotFound, ScreenFailed, ScreenLoading } from './parts/screen-states.tsx';
import { type RouteContext, root } from './root-route.tsx';
import { Home } from './shell/home.tsx';
import { type CatalogueName, loadTexts } from './texts.ts';

const home = createRoute({ getParentRoute: () => root, path: '/', component: Home });

function screen<const Path extends string>(
  path: Path,
  texts: CatalogueName[],
  load: () => Promise<{ default: FunctionComponent }>,
) {
  const { Part, prepare } = lazyPart(load);
  return createRoute({
    getParentRoute: () => root,
    path,
    async loader() {
      await Promise.all([prepare(), fetchFile(() => loadTexts(document.documentElement.lang, texts))]);
    },
    component: Part,
  });
}

const tree = root.addChildren([
  home,
  screen('/send', ['send', 'file-checks'], () => import('./screens/messages/send/send.tsx')),
  screen('/sent', ['sent'], () => import('./screens/messages/sent/sent.tsx')),
  screen('/sent/$id', ['sent', 'file-checks'], () => import('./screens/messages/sent/detail.tsx')),
  screen('/received', ['received'], () => import('./screens/received/received.tsx')),
  screen('/received/$id', ['received'], () => import('./screens/received/detail.tsx')),
  screen('/links', ['file-links'], () => import('./screens/file-links/file-links.tsx')),
  screen('/links/$id', ['file-links'], () => import('./screens/file-links/detail.tsx')),
  screen('/requests', ['file-requests'], () => import('./screens/file-requests/file-requests.tsx')),
  screen('/requests/$id', ['file-requests'], () => import('./screens/file-requests/detail.tsx')),
  screen('/drop', ['filedrops'], () => import('./screens/filedrops/filedrops.tsx')),
  screen('/log', ['downloads'], () => import('./screens/downloads/downloads.tsx')),
  screen('/account', ['account'], () => import('./screens/account/account.tsx')),
  screen('/account/$section', ['account'], () => import('./screens/account/account.tsx')),
  consoleRoutes,
]);

export const router = createRouter({
  routeTree: tree,
  // Set by main.tsx before rendering.
  context: { role: 'user' } as RouteContext,
  basepath: `${basePath}/app`,
  scrollRestoration: true,
  defaultPreload: 'intent',
  defaultPendingMs: 300,
  defaultPendingMinMs: 0,
  defaultPendingComponent: ScreenLoading,
  defaultErrorComponent: ScreenFailed,
  defaultNotFoundComponent: NotFound,
  // Plain parameters: ?state=problem&sort=-sent&page=2
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const params = Object.entries(search).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, String(value)]],
    );
    return params.length === 0 ? '' : `?${new URLSearchParams(params)}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
