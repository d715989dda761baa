// The built server if it is current; else the same from source, which takes three times as long to start.
import { isFresh, targets } from '#scripts/build-targets.ts';

let chosen: string | null = null;

export function serverProgram(): string {
  const server = targets.find(({ folder }) => folder === 'server')!;
  chosen ??= isFresh(server) ? `dist/${server.folder}/${server.entryName}` : 'server/main.ts';
  return chosen;
}
