// How the server gets at the built page layer (docs/adr/0010). Needs `npm run build` once; imports neither React nor Vite
// itself.
import type { Pages } from './props.ts';

export async function loadPages(): Promise<Pages> {
  return (await import(new URL('../../dist/pages/entry.js', import.meta.url).href)) as Pages;
}
