// What the two databases call differently in the tables of the baseline.
import { type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../engine/db.ts';

export interface ColumnTypes {
  bytes: RawBuilder<unknown>;
  real: RawBuilder<unknown>;
  /** A primary key that the database counts up and never gives out twice. */
  sequence: RawBuilder<unknown>;
  /** SQLite then stores the rows in the order of their primary key. */
  withoutRowid: RawBuilder<unknown>;
}

export function columnTypes(dialect: Dialect): ColumnTypes {
  return dialect === 'sqlite'
    ? {
        bytes: sql`blob`,
        real: sql`real`,
        sequence: sql`integer primary key autoincrement`,
        withoutRowid: sql`without rowid`,
      }
    : {
        bytes: sql`bytea`,
        real: sql`double precision`,
        sequence: sql`bigint generated always as identity primary key`,
        withoutRowid: sql``,
      };
}
