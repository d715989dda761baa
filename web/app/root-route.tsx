// The route above all others: the frame around every screen. Routes know the role, so that nothing of the console is
// fetched for people who may not see it.
import { createRootRouteWithContext } from '@tanstack/react-router';
import type { Me } from './me.ts';
import { NothingHere } from './parts/screen-states.tsx';
import { Shell } from './shell/shell.tsx';

export interface RouteContext {
  role: Me['role'];
}

export const root = createRootRouteWithContext<RouteContext>()({ component: Shell, notFoundComponent: NothingHere });
