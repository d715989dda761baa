// Where the app begins: the first place the person's group may use. For most Send, for people outside Received.
import { Navigate } from '@tanstack/react-router';
import { useMe } from '../me.ts';
import { placesOf } from '../navigation.ts';

export function Home() {
  return <Navigate to={placesOf(useMe())[0]?.to ?? '/received'} replace />;
}
