// Queries on names of contacts: those that a user gave them, and those of local accounts.
import type { Query, Tx } from '../schema/schema.ts';

export interface NamedAddress {
  address: string;
  name: string;
}

const batchSize = 500;

export async function putContactNames(tx: Tx, ownerId: string, people: NamedAddress[], now: number): Promise<void> {
  for (const { address, name } of people) {
    await tx
      .insertInto('contact_names')
      .values({ owner_id: ownerId, address, name, updated_at: now })
      .onConflict((conflict) => conflict.columns(['owner_id', 'address']).doUpdateSet({ name, updated_at: now }))
      .execute();
  }
}

export async function listContactNames(db: Query, ownerId: string, addresses: string[]): Promise<NamedAddress[]> {
  return inBatches(addresses, (batch) =>
    db
      .selectFrom('contact_names')
      .select(['address', 'name'])
      .where('owner_id', '=', ownerId)
      .where('address', 'in', batch)
      .execute(),
  );
}

export async function listAccountNames(db: Query, addresses: string[]): Promise<NamedAddress[]> {
  return inBatches(addresses, (batch) =>
    db
      .selectFrom('users')
      .select(['email as address', 'name'])
      .where('email', 'in', batch)
      .where('state', '=', 'active')
      .where('name', '<>', '')
      .execute(),
  );
}

export async function deleteContactNamesOf(tx: Tx, ownerId: string): Promise<void> {
  await tx.deleteFrom('contact_names').where('owner_id', '=', ownerId).execute();
}

async function inBatches(
  addresses: string[],
  read: (batch: string[]) => Promise<NamedAddress[]>,
): Promise<NamedAddress[]> {
  const found: NamedAddress[] = [];
  for (let start = 0; start < addresses.length; start += batchSize)
    found.push(...(await read(addresses.slice(start, start + batchSize))));
  return found;
}
