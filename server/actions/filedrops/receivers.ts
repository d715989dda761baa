// Recipients of a function's drop page.
import type { Query } from '../../db/schema/schema.ts';
import { findUser } from '../../db/users/users.ts';
import { confirmedEmail } from '../../domain/addresses.ts';
import type { SystemDrop } from '../../domain/system-drops.ts';
import type { User } from '../../domain/users.ts';

/** In order; the first owns the files. */
export async function listReceivers(db: Query, { receivers }: Pick<SystemDrop, 'receivers'>): Promise<User[]> {
  const people = await Promise.all(receivers.map((id) => findUser(db, id)));
  return people.filter((person) => person !== undefined && canReceive(person)).map((person) => person!);
}

/** An unconfirmed address could belong to another person. */
export function canReceive(person: User): boolean {
  return person.state === 'active' && confirmedEmail(person) !== null;
}
