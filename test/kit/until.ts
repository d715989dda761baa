// Waits for something that another part of the program does in its own time. The limit of the test ends a wait in vain.
import { setTimeout as pause } from 'node:timers/promises';

const lookAgainMs = 20;

/** The first answer of `look` that is not null, undefined or false. */
export async function until<Found>(look: () => Promise<Found | null | undefined | false>): Promise<Found> {
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    await pause(lookAgainMs);
  }
}
