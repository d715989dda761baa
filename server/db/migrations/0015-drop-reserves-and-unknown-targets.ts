// Undelivered files of drop pages have a reserve of their own, counted by page and network and erased after an hour of
// silence; codes asked for what does not exist do not count against the address.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const dropReservesAndUnknownTargets: Migration = {
  name: '0015-drop-reserves-and-unknown-targets',
  async up(tx) {
    const statements = [
      sql`alter table drop_keys add column network text not null default ''`,
      sql`alter table drop_keys add column opened_at bigint`,
      sql`alter table drop_keys add column active_at bigint not null default 0`,
      sql`update drop_keys set opened_at = created_at, active_at = created_at`,
      sql`create index drop_keys_page on drop_keys (drop_name, opened_at)`,
      sql`create index drop_keys_network on drop_keys (network, opened_at)`,
      sql`create index attachments_source on attachments (source) where source <> ''`,
      sql`create index uploads_source on uploads (source) where source <> ''`,
      sql`alter table reservations add column source text not null default ''`,
      // Until now these bytes were charged to the owner.
      sql`update users set stored_bytes = stored_bytes
        - coalesce((select sum(size_bytes) from attachments where attachments.owner_id = users.id
            and attachments.source like 'drop:%' and attachments.state <> 'erased'), 0)
        - coalesce((select sum(parts.size_bytes) from uploads join parts on parts.upload_id = uploads.id
            where uploads.owner_id = users.id and uploads.source like 'drop:%' and uploads.state = 'open'), 0)`,
      sql`alter table codes add column is_unknown integer not null default 0`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
