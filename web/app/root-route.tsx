// The context has the role, so that only administrators load the console.
import { createRootRouteWithContext } from '@tanstack/react-router';
import type { Me } from './me.ts';
import { NotFound } from './parts/screen-states.tsx';
import { Shell } from './shell/shell.tsx';

export interface RouteContext {
  role: Me['role'];
}

export const root = createRootRouteWithContext<RouteContext>()({ component: Shell, notFoundComponent: NotFound });
