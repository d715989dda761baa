// Formatted text of messages, and the account a ticket was handed to, so that it ends with what the account may do.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const formattedTextAndTicketAccounts: Migration = {
  name: '0007-formatted-text-and-ticket-accounts',
  async up(tx, dialect) {
    const bytes = sql.raw(dialect === 'sqlite' ? 'blob' : 'bytea');
    const statements = [
      sql`alter table messages add column html_sealed ${bytes}`,
      sql`alter table messages add column expiry_told_at bigint`,
      sql`alter table tickets add column account_id text`,
    ];
    for (const statement of statements) await statement.execute(tx);
  },
};
