// The addresses of an account.
import { sql } from 'kysely';
import type { UsersTable } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

export const senderAddresses = defineTable<UsersTable>()(({ plain, json }) => ({
  ...plain('email', 'default_sender_alias'),
  senderAliases: json<string[]>()('sender_aliases'),
  recipientAliases: json<string[]>()('recipient_aliases'),
  provenAddresses: json<string[]>()('proven_addresses'),
}));

/** The account address is confirmed. JSON escapes no character of an address. */
export const emailActs = sql<boolean>`replace(users.proven_addresses, '"' || users.email || '"', '') <> users.proven_addresses`;
