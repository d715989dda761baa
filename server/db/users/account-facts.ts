// Caches what `GET /account` returns besides the caller, including the key of clients.
import {
  confirmedDefaultAlias,
  confirmedEmail,
  confirmedRecipientAliases,
  confirmedSenderAliases,
  unprovenAddresses,
} from '../../domain/addresses.ts';
import type { User } from '../../domain/users.ts';
import { type Param, prepared } from '../engine/prepared.ts';
import { cached } from '../engine/query-cache.ts';
import type { Builder, Query, Tx } from '../schema/schema.ts';
import { senderAddresses } from './addresses.ts';

export interface AccountFacts extends Pick<User, 'dropName'> {
  /** Null while it is not confirmed. */
  confirmedEmail: string | null;
  /** Confirmed ones. */
  senderAliases: string[];
  recipientAliases: string[];
  unprovenAddresses: string[];
  /** Empty: the account address. */
  defaultSenderAlias: string;
  /** Empty if there is none. */
  clientKey: string;
}

const accountFacts = prepared((db: Builder, param: Param<{ id: string }>) =>
  db
    .selectFrom('users')
    .select(['email', 'sender_aliases', 'recipient_aliases', 'proven_addresses', 'default_sender_alias'])
    .select(['client_key_sealed', 'drop_name'])
    .where('id', '=', param('id')),
);

const cachedFacts = cached(
  async (db: Query, params: { id: string }): Promise<AccountFacts | null> => {
    const [row] = await accountFacts(db, params);
    if (row === undefined) return null;
    const addresses = senderAddresses.read(row);
    const sealed = row.client_key_sealed;
    let clientKey: string | undefined;
    return {
      confirmedEmail: confirmedEmail(addresses),
      senderAliases: confirmedSenderAliases(addresses),
      recipientAliases: confirmedRecipientAliases(addresses),
      unprovenAddresses: unprovenAddresses(addresses),
      defaultSenderAlias: confirmedDefaultAlias(addresses),
      dropName: row.drop_name,
      // Decrypted on demand, because the web app needs no key.
      get clientKey() {
        clientKey ??= sealed === null ? '' : db.keys.openText('client-key', sealed, params.id);
        return clientKey;
      },
    };
  },
  ({ id }) => id,
);

/** Callers share the result and MUST NOT change it. */
export function findAccountFacts(db: Query, id: string): Promise<Readonly<AccountFacts> | null> {
  return cachedFacts(db, { id });
}

export async function replaceClientKey(tx: Tx, id: string, key: string, now: number): Promise<void> {
  const sealed = tx.keys.sealText('client-key', key, id);
  await tx.updateTable('users').set({ client_key_sealed: sealed, updated_at: now }).where('id', '=', id).execute();
}
