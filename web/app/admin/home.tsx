// /app/admin itself: leads to the first screen that the person may open.
import { Navigate } from '@tanstack/react-router';
import { useMe } from '../me.ts';
import { NotYours } from '../parts/screen-states.tsx';
import { mayOpenConsole } from './roles.ts';

export function ConsoleHome() {
  return mayOpenConsole(useMe().role) ? <Navigate to="/admin/people" replace /> : <NotYours />;
}
