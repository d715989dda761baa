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

/** What `GET /account` returns besides what authentication has read already. */
export interface AccountFacts extends Pick<User, 'dropName'> {
  /** The account address; null while it is not verified. */
  confirmedEmail: string | null;
  /** Those that act; the others are among the unproven. */
  senderAliases: string[];
  recipientAliases: string[];
  unprovenAddresses: string[];
  /** Empty: the account address. */
  defaultSenderAlias: string;
  /** Blank when there is none. */
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
      // Opened on demand: the app reads the facts and needs no key.
      get clientKey() {
        clientKey ??= sealed === null ? '' : db.keys.openText('client-key', sealed, params.id);
        return clientKey;
      },
    };
  },
  ({ id }) => id,
);

/** Shared between callers: not to be changed. */
export function findAccountFacts(db: Query, id: string): Promise<Readonly<AccountFacts> | null> {
  return cachedFacts(db, { id });
}

export async function replaceClientKey(tx: Tx, id: string, key: string, now: number): Promise<void> {
  const sealed = tx.keys.sealText('client-key', key, id);
  await tx.updateTable('users').set({ client_key_sealed: sealed, updated_at: now }).where('id', '=', id).execute();
}
