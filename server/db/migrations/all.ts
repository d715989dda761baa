// All migrations, oldest first. A migration that has run anywhere is never changed; the next one corrects it.
import type { Migration } from '../engine/migrate.ts';
import { baseline } from './0001-baseline.ts';
import { downloadRequests } from './0070-download-requests.ts';

export const migrations: Migration[] = [baseline, downloadRequests];
