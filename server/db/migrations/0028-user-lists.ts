// Lists of 100,000 people: what words are looked for in, folded once, and an index for each order.
import { type Kysely, sql } from 'kysely';
import { foldText } from '../../lib/words.ts';
import type { Migration } from '../engine/migrate.ts';

interface UsersThen {
  users: {
    id: string;
    email: string;
    name: string;
    state: string;
    sender_aliases: string;
    recipient_aliases: string;
    search_text: string;
  };
}

export const userLists: Migration = {
  name: '0028-user-lists',
  async up(untyped) {
    const tx = untyped as Kysely<UsersThen>;
    await sql`alter table users add column search_text text not null default ''`.execute(tx);
    const users = await tx
      .selectFrom('users')
      .select(['id', 'email', 'name', 'sender_aliases', 'recipient_aliases'])
      .where('state', '<>', 'deleted')
      .execute();
    for (const { id, email, name, sender_aliases, recipient_aliases } of users) {
      const aliases = [sender_aliases, recipient_aliases].flatMap((list) => JSON.parse(list) as string[]);
      const folded = foldText([...new Set([name, email, ...aliases])].join('\n'));
      await tx.updateTable('users').set({ search_text: folded }).where('id', '=', id).execute();
    }
    await sql`create index users_by_name on users (name, id)`.execute(tx);
    await sql`create index users_by_seen on users (coalesce(last_seen_at, 0), id)`.execute(tx);
    await sql`create index users_by_storage on users (stored_bytes, id)`.execute(tx);
    await sql`create index users_counted on users (group_id, state, last_seen_at)`.execute(tx);
  },
};
