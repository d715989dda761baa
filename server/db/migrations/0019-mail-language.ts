// The sender chooses the language of a message's mails, for people whose own is not known; reminders keep to it.
import { sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

export const mailLanguage: Migration = {
  name: '0019-mail-language',
  async up(tx) {
    await sql`alter table messages add column mail_language text not null default ''`.execute(tx);
  },
};
