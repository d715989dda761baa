// Whether the holder of a ticket may still use it, as conditions of the statement that grants bytes. They are the rules
// of domain/audience.ts and domain/addresses.ts in SQL.
import { type Expression, sql } from 'kysely';
import { type Audience, audiences } from '#contract/audiences.ts';
import { admittedVisitors, domainOf, levelOf, type VisitorKind, widensToDomain } from '../../domain/audience.ts';
import { emailActs } from '../users/addresses.ts';

const names = (column: string) =>
  sql<boolean>`replace(${sql.ref(column)}, '"' || tickets.recipient || '"', '') <> ${sql.ref(column)}`;

/**
 * The address still belongs to the holder: their account is active and the address confirmed, or no disabled account
 * has it.
 */
export const holderIsLive = sql<boolean>`(tickets.account_id is null or exists (
    select 1 from users where users.id = tickets.account_id and users.state = 'active' and (
      tickets.kind = 'owner' or tickets.recipient = '' or (${names('users.proven_addresses')}
        and (users.email = tickets.recipient or ${names('users.recipient_aliases')})))))
  and not exists (
    select 1 from users where users.email = tickets.recipient and users.state = 'disabled'
      and ${names('users.proven_addresses')})`;

export function levelsFor(stranger: VisitorKind) {
  const levels = audiences.filter((audience: Audience) => admittedVisitors(audience, stranger)).map(levelOf);
  return sql.join(levels.map((level) => sql.lit(level)));
}

/** The rules of domain/audience.ts for the holder of the ticket. `domain`: see `domainPattern`. */
export const holderIsAdmitted = (
  domain: Expression<string> | string,
) => sql<boolean>`(tickets.message_id is null or tickets.kind = 'owner'
  or exists (select 1 from messages
    where messages.id = tickets.message_id and messages.audience in (${levelsFor('proven')}))
  or exists (select 1 from message_recipients join messages on messages.id = message_recipients.message_id
    where messages.id = tickets.message_id and message_recipients.state = 'active' and (
      message_recipients.address = tickets.identity
      or (messages.audience in (${levelsFor('colleague')}) and message_recipients.address like ${domain} escape '!')))
  or exists (select 1 from messages, users join groups on groups.id = users.group_id
    where messages.id = tickets.message_id and messages.audience in (${levelsFor('local')})
      and users.id = tickets.account_id and groups.is_local = 1))`;

/** Matches addresses at the same domain; none of a public provider. */
export function domainPattern(address: string): string {
  if (address === '' || !widensToDomain(address)) return '';
  return `%@${domainOf(address).replace(/[!%_]/g, '!$&')}`;
}

/** Revoked neither by the address of the ticket nor by that of the account that holds it. */
export const holderIsNotRevoked = sql<boolean>`(tickets.kind = 'owner' or not exists (
    select 1 from message_recipients where message_recipients.message_id = tickets.message_id
      and message_recipients.state = 'revoked' and (message_recipients.address = tickets.recipient
        or message_recipients.address = (
          select users.email from users where users.id = tickets.account_id and ${emailActs}))))`;
