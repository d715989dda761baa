// Roles and catalogues of each screen. Screens and texts are lazy-loaded.
import { createRoute, redirect } from '@tanstack/react-router';
import type { FunctionComponent } from 'react';
import { fetchFile, lazyPart } from '../lazy-files.tsx';
import { useMe } from '../me.ts';
import { Forbidden } from '../parts/screen-states.tsx';
import { root } from '../root-route.tsx';
import { loadConsoleNavigation } from '../shell/console.tsx';
import { type CatalogueName, loadTexts } from '../texts.ts';
import { administrators, consoleRoles, mayOpenConsole, type Role, systemReaders } from './roles.ts';

const console = createRoute({ getParentRoute: () => root, path: '/admin' });

/** Redirects to the first screen the user may open. */
const home = createRoute({
  getParentRoute: () => console,
  path: '/',
  async loader({ context: { role } }) {
    if (!mayOpenConsole(role)) return;
    const { firstItemFor } = await fetchFile(() => import('./navigation.ts'));
    const first = firstItemFor(role);
    if (first !== null) throw redirect({ to: first.to, replace: true });
  },
  component: Forbidden,
});

interface Line {
  who: readonly Role[];
  texts: CatalogueName[];
}

function screen<const Path extends string>(
  path: Path,
  { who, texts }: Line,
  load: () => Promise<{ default: FunctionComponent }>,
) {
  const { Part, prepare } = lazyPart(load);
  return createRoute({
    getParentRoute: () => console,
    path,
    async loader({ context }) {
      if (!who.includes(context.role)) return;
      // Load everything first: React delays a second Suspense boundary by 0.3 s.
      await Promise.all([prepare(), loadConsoleNavigation(), fetchFile(() => loadConsoleTexts(texts))]);
    },
    component: function Gate() {
      return who.includes(useMe().role) ? <Part /> : <Forbidden />;
    },
  });
}

async function loadConsoleTexts(texts: CatalogueName[]): Promise<void> {
  const { addConsoleTexts } = await import('./catalogues.ts');
  addConsoleTexts();
  await loadTexts(document.documentElement.lang, ['admin/console', ...texts]);
}

export const consoleRoutes = console.addChildren([
  home,
  screen(
    '/overview',
    { who: consoleRoles, texts: ['admin/overview', 'admin/setup-checklist'] },
    () => import('./screens/overview/overview.tsx'),
  ),
  screen('/people', { who: administrators, texts: ['admin/users'] }, () => import('./screens/users/users.tsx')),
  screen('/groups', { who: consoleRoles, texts: ['admin/groups'] }, () => import('./screens/groups/groups.tsx')),
  screen(
    '/groups/$id',
    { who: consoleRoles, texts: ['admin/group-editor', 'admin/names', 'account'] },
    () => import('./screens/groups/editor.tsx'),
  ),
  screen(
    '/transfers',
    { who: consoleRoles, texts: ['admin/transfers'] },
    () => import('./screens/transfers/transfers.tsx'),
  ),
  screen(
    '/drop-pages',
    { who: consoleRoles, texts: ['admin/filedrops'] },
    () => import('./screens/filedrops/filedrops.tsx'),
  ),
  screen(
    '/drop-pages/$id',
    { who: consoleRoles, texts: ['admin/filedrops'] },
    () => import('./screens/filedrops/detail.tsx'),
  ),
  screen(
    '/reviews',
    { who: consoleRoles, texts: ['admin/reviews', 'admin/scanning'] },
    () => import('./screens/reviews/reviews.tsx'),
  ),
  screen(
    '/quarantine',
    { who: systemReaders, texts: ['admin/scanning'] },
    () => import('./screens/scanning/quarantine.tsx'),
  ),
  screen(
    '/virus-scanner',
    { who: systemReaders, texts: ['admin/scanning'] },
    () => import('./screens/scanning/scanner.tsx'),
  ),
  screen('/storage', { who: systemReaders, texts: ['admin/storage'] }, () => import('./screens/storage/storage.tsx')),
  screen(
    '/downloads',
    { who: consoleRoles, texts: ['admin/downloads'] },
    () => import('./screens/downloads/downloads.tsx'),
  ),
  screen(
    '/activity',
    { who: consoleRoles, texts: ['admin/events', 'admin/names', 'admin/group-editor', 'admin/groups', 'account'] },
    () => import('./screens/events/events.tsx'),
  ),
  screen('/people/import', { who: administrators, texts: ['admin/users'] }, () => import('./screens/users/import.tsx')),
  screen('/people/$id', { who: administrators, texts: ['admin/users'] }, () => import('./screens/users/detail.tsx')),
  screen(
    '/webhooks',
    { who: systemReaders, texts: ['admin/webhooks', 'admin/events', 'admin/names'] },
    () => import('./screens/webhooks/webhooks.tsx'),
  ),
  screen(
    '/evidence',
    { who: consoleRoles, texts: ['admin/evidence'] },
    () => import('./screens/evidence/evidence.tsx'),
  ),
  screen(
    '/legal-holds',
    { who: consoleRoles, texts: ['admin/legal-holds'] },
    () => import('./screens/legal-holds/legal-holds.tsx'),
  ),
  screen(
    '/branding',
    { who: consoleRoles, texts: ['admin/branding'] },
    () => import('./screens/branding/branding.tsx'),
  ),
  screen(
    '/mail',
    { who: systemReaders, texts: ['admin/names', 'admin/mail-delivery'] },
    () => import('./screens/mail-delivery/mail-delivery.tsx'),
  ),
  screen(
    '/templates',
    { who: systemReaders, texts: ['admin/names', 'admin/mail-templates'] },
    () => import('./screens/mail-templates/mail-templates.tsx'),
  ),
  screen(
    '/security',
    { who: systemReaders, texts: ['admin/security'] },
    () => import('./screens/security/security.tsx'),
  ),
  screen(
    '/sign-in-services',
    { who: systemReaders, texts: ['admin/sign-in-services'] },
    () => import('./screens/sign-in/sign-in.tsx'),
  ),
  screen(
    '/system',
    { who: systemReaders, texts: ['admin/names', 'admin/system'] },
    () => import('./screens/system/system.tsx'),
  ),
]);
