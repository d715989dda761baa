// Which bytes of a download the network has taken, so that ranges are joined and not added; where a ticket was issued,
// who has used it, and which password of its link was in force then.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const deliveredBytesAndBoundTickets: Migration = {
  name: '0014-delivered-bytes-and-bound-tickets',
  async up(tx) {
    const statements = [
      sql`alter table downloads add column delivered text not null default ''`,
      // Downloads that can still be gone on with; a million older lines need not be touched.
      sql`update downloads set delivered = 'all' where outcome = 'complete' and exists (select 1 from tickets
        where tickets.owner_id = downloads.owner_id and tickets.download_number = downloads.number)`,
      sql`alter table tickets add column network text not null default ''`,
      sql`alter table tickets add column is_helped integer not null default 0`,
      sql`alter table tickets add column password_version integer not null default 0`,
      sql`alter table file_links add column password_version integer not null default 0`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
