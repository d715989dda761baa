// What the columns of an account say about its addresses.
import { sql } from 'kysely';
import type { UsersTable } from '../schema/schema.ts';

type AddressColumns = 'email' | 'sender_aliases' | 'recipient_aliases' | 'proven_addresses' | 'default_sender_alias';

/** For every query that reads whose addresses act. */
export function senderAddressesOf(row: Pick<UsersTable, AddressColumns>) {
  return {
    email: row.email,
    senderAliases: aliasesOf(row.sender_aliases),
    recipientAliases: aliasesOf(row.recipient_aliases),
    provenAddresses: aliasesOf(row.proven_addresses),
    defaultSenderAlias: row.default_sender_alias,
  };
}

function aliasesOf(stored: string): string[] {
  return JSON.parse(stored) as string[];
}

/** The account address is verified. Addresses hold no character that JSON would escape. */
export const emailActs = sql<boolean>`replace(users.proven_addresses, '"' || users.email || '"', '') <> users.proven_addresses`;
