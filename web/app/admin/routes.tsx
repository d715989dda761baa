// Every address of the console: one line for each screen, with who may open it and the catalogues it needs. This table is
// part of the app; the screens, their sentences and the navigation are loaded when somebody who may see them comes here.
import { createRoute } from '@tanstack/react-router';
import { type ComponentType, lazy } from 'react';
import { useMe } from '../me.ts';
import { NotYours } from '../parts/screen-states.tsx';
import { root } from '../root-route.tsx';
import { type CatalogueName, loadTexts } from '../texts.ts';
import { ConsoleHome } from './home.tsx';
import { administrators, type Role } from './roles.ts';

const console = createRoute({ getParentRoute: () => root, path: '/admin' });

const home = createRoute({ getParentRoute: () => console, path: '/', component: ConsoleHome });

interface Line {
  who: readonly Role[];
  texts: CatalogueName[];
}

/** A screen of the console, below /app/admin. */
function screen<const Path extends string>(
  path: Path,
  { who, texts }: Line,
  load: () => Promise<{ default: ComponentType }>,
) {
  const Loaded = lazy(load);
  return createRoute({
    getParentRoute: () => console,
    path,
    async loader({ context }) {
      if (!who.includes(context.role)) return;
      const [{ addConsoleTexts }] = await Promise.all([import('./catalogues.ts'), load()]);
      addConsoleTexts();
      await loadTexts(document.documentElement.lang, ['admin/console', ...texts]);
    },
    component: function Gate() {
      return who.includes(useMe().role) ? <Loaded /> : <NotYours />;
    },
  });
}

export const consoleRoutes = console.addChildren([
  home,
  screen('/people', { who: administrators, texts: ['admin/users'] }, () => import('./screens/users/users.tsx')),
]);
