// Groups of a person in a directory, with the groups that contain them.
import type { Client, Entry } from 'ldapts';
import { allOf, anyOf, bytesFilterValue, equals, parseFilter } from './filters.ts';

export interface GroupSearch {
  client: Client;
  base: string;
  /** What was read on this connection: groups by the DN or identifier that was searched. */
  known: Map<string, FoundGroup[]>;
}

interface FoundGroup {
  dn: string;
  names: string[];
}

/** Groups may contain groups up to this depth. */
const maxDepth = 10;
const maxGroups = 5000;
const nameAttributes = ['cn', 'sAMAccountName'];

/** `groupOfNames`, `groupOfUniqueNames` and `posixGroup`, also the primary group. */
export async function groupsOfMembers(
  search: GroupSearch,
  member: { dn: string; uid: string; gidNumber: string },
): Promise<string[]> {
  const found = new Map<string, FoundGroup>();
  const posix = [
    ...(member.uid === '' ? [] : [equals('memberUid', member.uid)]),
    ...(member.gidNumber === '' ? [] : [equals('gidNumber', member.gidNumber)]),
  ];
  let level = await groupsWith(search, [
    ...memberFilters(member.dn),
    ...(posix.length === 0 ? [] : [allOf('(objectClass=posixGroup)', anyOf(posix))]),
  ]);
  for (let depth = 1; level.length > 0 && depth <= maxDepth && found.size < maxGroups; depth++) {
    const added = level.filter(({ dn }) => !found.has(dn.toLowerCase()));
    for (const group of added) found.set(group.dn.toLowerCase(), group);
    level = [];
    if (depth < maxDepth) for (const { dn } of added) level.push(...(await parentsOf(search, dn)));
  }
  return namesOf([...found.values()]);
}

async function parentsOf(search: GroupSearch, dn: string): Promise<FoundGroup[]> {
  const key = dn.toLowerCase();
  const known = search.known.get(key) ?? (await groupsWith(search, memberFilters(dn)));
  search.known.set(key, known);
  return known;
}

/** Servers rarely have an index for `uniqueMember`. */
function memberFilters(dn: string): string[] {
  return [equals('member', dn), allOf('(objectClass=groupOfUniqueNames)', equals('uniqueMember', dn))];
}

/** `tokenGroups` holds nested groups and the primary group; without it the server follows the chain of members. */
export async function groupsOfActiveDirectory(search: GroupSearch, dn: string): Promise<string[]> {
  const { searchEntries } = await search.client.search(dn, {
    scope: 'base',
    filter: '(objectClass=*)',
    attributes: ['tokenGroups'],
    explicitBufferAttributes: ['tokenGroups'],
  });
  const value = searchEntries[0]?.tokenGroups;
  const sids = (Array.isArray(value) ? value : value === undefined ? [] : [value]).filter((sid) =>
    Buffer.isBuffer(sid),
  );
  if (sids.length === 0) {
    const chain = `(member:1.2.840.113556.1.4.1941:=${equals('', dn).slice(2, -1)})`;
    return namesOf(await groupsWith(search, [chain]));
  }
  return namesOf(await groupsBySid(search, sids as Buffer[]));
}

const sidsPerSearch = 50;

async function groupsBySid(search: GroupSearch, sids: Buffer[]): Promise<FoundGroup[]> {
  const unknown = sids.filter((sid) => !search.known.has(sid.toString('hex')));
  for (let at = 0; at < unknown.length; at += sidsPerSearch) {
    const some = unknown.slice(at, at + sidsPerSearch);
    const filter = anyOf(some.map((sid) => `(objectSid=${bytesFilterValue(sid)})`));
    for (const sid of some) search.known.set(sid.toString('hex'), []);
    for (const entry of await entriesWith(search, filter)) {
      const { objectSid } = entry;
      if (Buffer.isBuffer(objectSid)) search.known.set(objectSid.toString('hex'), [groupOf(entry)]);
    }
  }
  return sids.flatMap((sid) => search.known.get(sid.toString('hex')) ?? []);
}

async function groupsWith(search: GroupSearch, filters: readonly string[]): Promise<FoundGroup[]> {
  return (await entriesWith(search, anyOf(filters))).map(groupOf);
}

async function entriesWith({ client, base }: GroupSearch, filter: string): Promise<Entry[]> {
  const { searchEntries } = await client.search(base, {
    scope: 'sub',
    filter: await parseFilter(filter),
    attributes: [...nameAttributes, 'objectSid'],
    explicitBufferAttributes: ['objectSid'],
    paged: { pageSize: 200 },
  });
  return searchEntries;
}

function groupOf(entry: Entry): FoundGroup {
  const names = nameAttributes.flatMap((attribute) => entry[attribute] ?? []).map(String);
  return { dn: entry.dn, names };
}

function namesOf(groups: readonly FoundGroup[]): string[] {
  return [...new Set(groups.flatMap(({ dn, names }) => [dn, ...names]))];
}
