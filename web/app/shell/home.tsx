// Redirects to the first screen that the user's group permits.
import { Navigate } from '@tanstack/react-router';
import { useMe } from '../me.ts';
import { placesOf } from '../navigation.ts';

export function Home() {
  return <Navigate to={placesOf(useMe())[0]?.to ?? '/received'} replace />;
}
