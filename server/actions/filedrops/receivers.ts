// Who receives at the drop page of a function.
import type { Query } from '../../db/schema/schema.ts';
import { findUser } from '../../db/users/users.ts';
import { actingEmail } from '../../domain/addresses.ts';
import type { SystemDrop } from '../../domain/system-drops.ts';
import type { User } from '../../domain/users.ts';

/** Those who can: their account is active and their own address is proven. In order; the first keeps the files. */
export async function listReceivers(db: Query, { receivers }: Pick<SystemDrop, 'receivers'>): Promise<User[]> {
  const people = await Promise.all(receivers.map((id) => findUser(db, id)));
  return people.filter((person) => person !== undefined && canReceive(person)).map((person) => person!);
}

/** Whose own address is not proven would receive for somebody else (security D10). */
export function canReceive(person: User): boolean {
  return person.state === 'active' && actingEmail(person) !== null;
}
