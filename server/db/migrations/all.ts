// All migrations, oldest first. A migration that has run anywhere is never changed; the next one mends it.
import type { Migration } from '../migrate.ts';
import { foundation } from './0001-foundation.ts';

export const migrations: Migration[] = [foundation];
