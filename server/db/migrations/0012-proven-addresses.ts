// The addresses of an account act only once they are proven. Those that were in force before this was asked for stay so.
import { type Kysely, sql } from 'kysely';
import type { Migration } from '../engine/migrate.ts';

interface UsersThen {
  users: {
    id: string;
    email: string;
    state: string;
    sender_aliases: string;
    recipient_aliases: string;
    proven_addresses: string;
  };
}

export const provenAddresses: Migration = {
  name: '0012-proven-addresses',
  async up(untyped) {
    const tx = untyped as Kysely<UsersThen>;
    await sql`alter table users add column proven_addresses text not null default '[]'`.execute(tx);
    const users = await tx
      .selectFrom('users')
      .select(['id', 'email', 'sender_aliases', 'recipient_aliases'])
      .where('state', '<>', 'deleted')
      .execute();
    for (const user of users) {
      const aliases = [user.sender_aliases, user.recipient_aliases].flatMap((list) => JSON.parse(list) as string[]);
      const proven = JSON.stringify([...new Set([user.email, ...aliases])]);
      await tx.updateTable('users').set({ proven_addresses: proven }).where('id', '=', user.id).execute();
    }
  },
};
