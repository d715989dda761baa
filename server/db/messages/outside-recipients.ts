// Which domains outside can open something now: recipients without a local account.
import { sql } from 'kysely';
import type { TransferScope } from '../../domain/transfers.ts';
import type { Query } from '../schema/schema.ts';
import { isInReach } from '../users/reach.ts';

export interface OpenDomain {
  domain: string;
  people: number;
  messages: number;
  requests: number;
  bytes: number;
  /** The last day of what expires last. */
  lastExpiresOn: string;
}

const mostDomains = 200;

/**
 * Domains with the most open transfers first. Leaves out those of System Administrators for callers who may not see
 * them.
 */
export async function listOpenDomains(db: Query, scope: TransferScope): Promise<OpenDomain[]> {
  const isShown = isInReach('t.owner_id', scope);
  // One lookup per recipient, by the index of addresses in use.
  const isOutside = (address: string) => sql`not exists (select 1 from users
    join groups on groups.id = users.group_id where users.email = ${sql.ref(address)} and users.state <> 'deleted'
      and users.state = 'active' and groups.is_local = 1)`;
  const { rows } = await sql<Record<keyof OpenDomain, string | number>>`
    select domain, count(distinct address) as people, count(distinct message_id) as messages,
      count(distinct request_id) as requests, sum(size_bytes) as bytes, max(expires_on) as "lastExpiresOn"
    from (
      select r.domain, r.address, t.id as message_id, null as request_id, t.size_bytes, t.expires_on
      from messages as t join message_recipients as r on r.message_id = t.id
      where t.state = 'active' and t.expires_at > ${scope.now} and t.origin = 'sent' and r.state = 'active'
        and ${isOutside('r.address')} and ${isShown}
      union all
      select t.recipient_domain, t.recipient, null, t.id, 0, t.expires_on
      from file_requests as t
      where t.state = 'open' and t.expires_at > ${scope.now} and ${isOutside('t.recipient')} and ${isShown}
    ) as found
    group by domain order by count(distinct message_id) + count(distinct request_id) desc, domain
    limit ${mostDomains}`.execute(db);
  return rows.map((row) => ({
    domain: String(row.domain),
    people: Number(row.people),
    messages: Number(row.messages),
    requests: Number(row.requests),
    bytes: Number(row.bytes),
    lastExpiresOn: String(row.lastExpiresOn),
  }));
}
