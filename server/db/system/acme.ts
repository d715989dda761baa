// The account, certificate and open challenges of ACME, which all processes share.
import type { Query, Tx } from '../schema/schema.ts';
import { deleteMeta, findMeta, setMeta } from './installation.ts';

export interface StoredChallenge {
  domain: string;
  token: string;
  keyAuthorization: string;
}

type Secret = 'acme_account' | 'acme_certificate';

/** Sealed in the database. */
export async function findAcmeSecret(db: Query, name: Secret): Promise<string | null> {
  const sealed = await findMeta(db, name);
  return sealed === null ? null : db.keys.open('acme', Buffer.from(sealed, 'base64'), name).toString();
}

export async function saveAcmeSecret(tx: Tx, name: Secret, value: string): Promise<void> {
  await setMeta(tx, name, tx.keys.seal('acme', Buffer.from(value), name).toString('base64'));
}

export async function listAcmeChallenges(db: Query): Promise<StoredChallenge[]> {
  return JSON.parse((await findMeta(db, 'acme_challenges')) ?? '[]') as StoredChallenge[];
}

export async function saveAcmeChallenges(tx: Tx, challenges: readonly StoredChallenge[]): Promise<void> {
  if (challenges.length === 0) await deleteMeta(tx, 'acme_challenges');
  else await setMeta(tx, 'acme_challenges', JSON.stringify(challenges));
}
