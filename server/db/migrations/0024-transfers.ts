// What administrators' lists of everything need: indexes in order of time over all owners, the domain of each recipient,
// and long work that can be watched and stopped.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const transfers: Migration = {
  name: '0024-transfers',
  async up(tx, dialect) {
    const domainOf = (column: string) =>
      sql.raw(
        dialect === 'sqlite' ? `substr(${column}, instr(${column}, '@') + 1)` : `substring(${column} from '[^@]*$')`,
      );
    const statements = [
      sql`alter table message_recipients add column domain text not null default ''`,
      sql`alter table message_recipients add column sent_at bigint not null default 0`,
      sql`update message_recipients set domain = ${domainOf('address')},
        sent_at = (select created_at from messages where messages.id = message_recipients.message_id)`,
      // It begins like the index it replaces.
      sql`drop index message_recipients_address`,
      sql`create index message_recipients_address on message_recipients (address, sent_at, message_id)`,
      sql`create index message_recipients_domain on message_recipients (domain, sent_at, message_id)`,
      sql`alter table file_requests add column recipient_domain text not null default ''`,
      sql`update file_requests set recipient_domain = ${domainOf('recipient')}`,
      sql`create index file_requests_recipient on file_requests (recipient, created_at, id)`,
      sql`create index file_requests_domain on file_requests (recipient_domain, created_at, id)`,
      // With everything a filter asks for, so that rows which do not match are passed over without being read.
      sql`create index messages_time on messages (created_at, id, owner_id, origin, state, expires_at)`,
      sql`create index messages_handed_in on messages (origin, created_at, id) where origin <> 'sent'`,
      sql`create index messages_stopped on messages (created_at, id) where state = 'revoked'`,
      sql`create index file_links_time on file_links (created_at, id, owner_id, state, expires_at)`,
      sql`create index file_links_stopped on file_links (created_at, id) where state = 'deleted'`,
      sql`create index file_requests_time on file_requests (created_at, id, owner_id, state, expires_at)`,
      sql`create table tasks (
        id text primary key, kind text not null, state text not null, input text not null, started_by text not null,
        progress text not null, total bigint, done bigint not null, failed bigint not null, created_at bigint not null,
        updated_at bigint not null, finished_at bigint)`,
      sql`create index tasks_time on tasks (created_at, id)`,
      sql`create index tasks_unfinished on tasks (created_at) where finished_at is null`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
