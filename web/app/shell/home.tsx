// Redirects to the first screen that the user's group permits.
import { Navigate } from '@tanstack/react-router';
import { useMe } from '../me.ts';
import { navItemsOf } from '../navigation.ts';

export function Home() {
  return <Navigate to={navItemsOf(useMe())[0]?.to ?? '/received'} replace />;
}
