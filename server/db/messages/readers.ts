// The messages that a reader received: sent to one of their confirmed addresses and not revoked. One condition for
// every list.
import { type RawBuilder, type SqlBool, sql } from 'kysely';

export interface Reader {
  userId: string;
  /** Confirmed ones (domain/addresses.ts); may be empty. */
  addresses: readonly string[];
  /** The account address, if confirmed. A message revoked for it is not found under an alias either. */
  ownAddress: string | null;
}

/** Ids of messages sent to the reader, found by an index, in any state. */
export function idsSentTo({ addresses, ownAddress }: Reader): RawBuilder<string> {
  const mine = addresses.length === 0 ? sql`1 = 0` : sql`mine.address in (${sql.join(addresses)})`;
  const isIn: RawBuilder<SqlBool> = sql`${mine} and mine.state = 'active'`;
  if (ownAddress === null) return sql`(select mine.message_id from message_recipients as mine where ${isIn})`;
  return sql`(select mine.message_id from message_recipients as mine where ${isIn} and not exists (
    select 1 from message_recipients as own where own.message_id = mine.message_id
      and own.address = ${ownAddress} and own.state = 'revoked'))`;
}

/** Nobody but the sender finds a message that waits for a second person, or that this person refused. */
export const isReleased = sql<SqlBool>`(messages.review_state is null or messages.review_state = 'released')`;
