// People and groups of an LDAP directory: OpenLDAP and similar servers, and Active Directory.
import type { Client, Entry, SearchOptions } from 'ldapts';
import { isRightPassword, LdapFault, type LdapServer, withLdap } from './connection.ts';
import { allOf, anyOf, bytesFilterValue, equals, everyoneFilter, loginFilter, parseFilter } from './filters.ts';
import { type GroupSearch, groupsOfActiveDirectory, groupsOfMembers } from './groups.ts';
import { guidBytes, guidText } from './guid.ts';

export interface Directory extends LdapServer {
  kind: 'openldap' | 'active_directory';
  baseDn: string;
  /** Empty for the usual one. */
  userFilter: string;
  emailAttribute: string;
  /** Empty for `baseDn`. */
  groupBaseDn: string;
  /** Empty for the usual one. */
  disabledFilter: string;
}

export interface DirectoryPerson {
  /** `entryUUID` or `objectGUID`; survives renames and moves. */
  subject: string;
  dn: string;
  /** As in the directory; empty if there is none. */
  address: string;
  name: string;
  isDisabled: boolean;
  /** Names and DNs of groups, with those that contain them. */
  groups: string[];
}

interface Found {
  subject: string;
  dn: string;
  entry: Entry;
}

const idAttributes = { openldap: 'entryUUID', active_directory: 'objectGUID' } as const;
const defaultDisabled = {
  openldap: '(|(pwdAccountLockedTime=*)(nsAccountLock=TRUE))',
  active_directory: '(userAccountControl:1.2.840.113556.1.4.803:=2)',
} as const;

function loginAttributes({ kind, emailAttribute }: Directory): string[] {
  return kind === 'openldap' ? ['uid', emailAttribute] : ['sAMAccountName', 'userPrincipalName', emailAttribute];
}

function peopleFilter(directory: Directory): string {
  if (directory.userFilter !== '') return directory.userFilter;
  return directory.kind === 'openldap' ? '(objectClass=inetOrgPerson)' : '(&(objectCategory=person)(objectClass=user))';
}

/** Null for an unknown person and a wrong password. The password is checked by binding as the person. */
export async function signInToDirectory(
  directory: Directory,
  login: string,
  password: string,
): Promise<DirectoryPerson | null> {
  if (password === '' || login === '') return null;
  const found = await withLdap(directory, (client) => findByLogin(client, directory, login));
  if (found === null || !(await isRightPassword(directory, found.dn, password))) return null;
  return withLdap(directory, (client) => describePerson(client, directory, found));
}

/** Without the password, for tests. */
export function findInDirectory(directory: Directory, login: string): Promise<DirectoryPerson | null> {
  return withLdap(directory, async (client) => {
    const found = await findByLogin(client, directory, login);
    return found === null ? null : describePerson(client, directory, found);
  });
}

async function findByLogin(client: Client, directory: Directory, login: string): Promise<Found | null> {
  const isWindowsName = directory.kind === 'active_directory' && login.includes('\\');
  const name = isWindowsName ? login.slice(login.lastIndexOf('\\') + 1) : login;
  const filter = loginFilter(peopleFilter(directory), name, loginAttributes(directory));
  const found = await search(client, directory, { filter, sizeLimit: 2 });
  if (found.length > 1) throw new LdapFault('person', 'several people in the directory have this login name');
  return found[0] ?? null;
}

/** At most this many subjects in one search. */
export const maxSubjects = 50;

export interface OpenDirectory {
  /** People by subject; who is missing is not in the directory any more. */
  findPeople(subjects: readonly string[]): Promise<Map<string, DirectoryPerson>>;
  /** Whether the directory shows any person: an empty answer is a fault of rights or of the base. */
  hasPeople(): Promise<boolean>;
}

/** One connection for many people; groups that were read are not read again. */
export function withDirectory<Result>(
  directory: Directory,
  work: (open: OpenDirectory) => Promise<Result>,
): Promise<Result> {
  return withLdap(directory, (client) => {
    const groups: GroupSearch = { client, base: groupBase(directory), known: new Map() };
    return work({
      async findPeople(subjects) {
        const found = await findBySubjects(client, directory, subjects);
        const disabled = await disabledAmong(client, directory, [...found.keys()]);
        const people = new Map<string, DirectoryPerson>();
        for (const [subject, one] of found)
          people.set(subject, await personOf(directory, one, { isDisabled: disabled.has(subject), groups }));
        return people;
      },
      async hasPeople() {
        return (await search(client, directory, { filter: everyone(directory), sizeLimit: 1 })).length > 0;
      },
    });
  });
}

function everyone(directory: Directory): string {
  return everyoneFilter(peopleFilter(directory));
}

function groupBase({ groupBaseDn, baseDn }: Directory): string {
  return groupBaseDn === '' ? baseDn : groupBaseDn;
}

async function findBySubjects(
  client: Client,
  directory: Directory,
  subjects: readonly string[],
): Promise<Map<string, Found>> {
  const filters = subjects.flatMap((subject) => subjectFilter(directory, subject) ?? []);
  if (filters.length === 0) return new Map();
  const found = await search(client, directory, { filter: allOf(everyone(directory), anyOf(filters)) });
  return new Map(found.map((one) => [one.subject, one]));
}

/** Null for a subject that this kind of directory never gives. */
function subjectFilter({ kind }: Directory, subject: string): string | null {
  if (kind === 'openldap') return equals('entryUUID', subject);
  const bytes = guidBytes(subject);
  return bytes === null ? null : `(objectGUID=${bytesFilterValue(bytes)})`;
}

async function disabledAmong(client: Client, directory: Directory, subjects: string[]): Promise<Set<string>> {
  const filters = subjects.flatMap((subject) => subjectFilter(directory, subject) ?? []);
  if (filters.length === 0) return new Set();
  const disabled = directory.disabledFilter === '' ? defaultDisabled[directory.kind] : directory.disabledFilter;
  const found = await search(client, directory, { filter: allOf(disabled, anyOf(filters)) });
  return new Set(found.map(({ subject }) => subject));
}

async function describePerson(client: Client, directory: Directory, found: Found): Promise<DirectoryPerson> {
  const disabled = await disabledAmong(client, directory, [found.subject]);
  const groups: GroupSearch = { client, base: groupBase(directory), known: new Map() };
  return personOf(directory, found, { isDisabled: disabled.has(found.subject), groups });
}

async function personOf(
  directory: Directory,
  { subject, dn, entry }: Found,
  { isDisabled, groups }: { isDisabled: boolean; groups: GroupSearch },
): Promise<DirectoryPerson> {
  const member = { dn, uid: textOf(entry.uid), gidNumber: textOf(entry.gidNumber) };
  return {
    subject,
    dn,
    address: textOf(entry[directory.emailAttribute]),
    name: textOf(entry.displayName) || textOf(entry.cn),
    isDisabled,
    groups:
      directory.kind === 'active_directory'
        ? await groupsOfActiveDirectory(groups, dn)
        : await groupsOfMembers(groups, member),
  };
}

/** Pages through the results. Entries without an identifier are left out. */
async function search(
  client: Client,
  directory: Directory,
  { filter, sizeLimit }: { filter: string; sizeLimit?: number },
): Promise<Found[]> {
  const idAttribute = idAttributes[directory.kind];
  const options: SearchOptions = {
    scope: 'sub',
    filter: await parseFilter(filter),
    attributes: [idAttribute, 'uid', 'gidNumber', 'cn', 'displayName', directory.emailAttribute],
    explicitBufferAttributes: ['objectGUID'],
    ...(sizeLimit === undefined ? { paged: { pageSize: maxSubjects * 2 } } : { sizeLimit }),
  };
  const { searchEntries } = await client.search(directory.baseDn, options);
  return searchEntries.flatMap((entry) => {
    const subject = subjectOf(entry, idAttribute);
    return subject === null ? [] : [{ subject, dn: entry.dn, entry }];
  });
}

function subjectOf(entry: Entry, attribute: string): string | null {
  const value = entry[attribute];
  if (Buffer.isBuffer(value)) return guidText(value);
  return typeof value === 'string' && value !== '' ? value.toLowerCase() : null;
}

/** The first value of an attribute. */
export function textOf(value: Entry[string] | undefined): string {
  const first = Array.isArray(value) ? value[0] : value;
  if (first === undefined) return '';
  return (typeof first === 'string' ? first : first.toString('utf8')).trim();
}
