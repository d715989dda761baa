// The program to spawn: the built server, as people run it, if it was built from the sources as they are now; else the
// same from source, which takes three times as long to start.
import { isFresh, targets } from '#scripts/build-targets.ts';

let chosen: string | null = null;

/** What to give to Node, seen from the root of the repository. */
export function serverProgram(): string {
  const server = targets.find(({ folder }) => folder === 'server')!;
  chosen ??= isFresh(server) ? `dist/${server.folder}/${server.entryName}` : 'server/main.ts';
  return chosen;
}
