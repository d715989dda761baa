// The database and the store as causes of errors elsewhere: what the log says about them once, and how their end is noticed.
import { statfs } from 'node:fs/promises';
import type { Config } from '../config.ts';
import type { LockedDb } from '../db/schema/schema.ts';
import { storePlace } from './store-owner.ts';
import type { Dependency, HealthCheck } from './watch.ts';

/** SQLite fails with less, and a job may fill what is left. */
const leastFreeBytes = 16 * 1024 ** 2;
const checkMs = 15_000;

/** `host:port` or the file; never user or password. */
export function databasePlace(config: Pick<Config, 'databaseUrl' | 'dataDir'>): string {
  const given = config.databaseUrl?.reveal();
  if (given === undefined) return `${config.dataDir}/waybill.db`;
  const url = URL.canParse(given) ? new URL(given) : null;
  return url === null ? 'WAYBILL_DATABASE_URL' : `${url.hostname}:${url.port || 5432}`;
}

export function dependenciesOf(config: Config): Dependency[] {
  return [
    {
      name: 'database',
      error: /^DatabaseUnavailable\b/,
      alike: /^DatabaseBusy\b/,
      sentence: (error) =>
        `The database at ${databasePlace(config)} does not work: ${error}. Requests are answered with 503 and jobs wait until it works again.`,
    },
    {
      name: 'storage',
      error: /^Store(Unavailable|Full)\b/,
      sentence: (error) => `The store (${storePlace(config)}) does not work: ${error}.`,
    },
  ];
}

export function databaseCheck(config: Config, db: Pick<LockedDb, 'ping'>): HealthCheck {
  return {
    name: 'database',
    everyMs: checkMs,
    async check() {
      await db.ping();
      if (config.databaseUrl !== null) return null;
      const { bavail, bsize } = await statfs(config.dataDir);
      return bavail * bsize >= leastFreeBytes
        ? null
        : `The disk of the database (${databasePlace(config)}) is full: nothing can be written until there is room.`;
    },
  };
}
