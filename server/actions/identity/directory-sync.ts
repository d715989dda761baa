// Compares the people of a directory with it: who left, who returned, whose groups changed. A directory that fails, times
// out or shows no one changes nothing, and nor does a change of many people that no administrator confirmed.

import { listGroups } from '../../db/groups/groups.ts';
import {
  findDirectorySync,
  listSyncedPeople,
  permittedNote,
  type SyncedPerson,
  saveDirectorySync,
} from '../../db/identity/directory-syncs.ts';
import { findIdentity, noteDirectoryGroups } from '../../db/identity/identities.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { systemCaller, type UserCaller } from '../../domain/caller.ts';
import { groupFor, isMassChange } from '../../domain/directory-groups.ts';
import type { Group } from '../../domain/groups.ts';
import { Problem } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import { type SignInService, syncIntervalMs } from '../../domain/sign-in-service-fields.ts';
import { LdapFault } from '../../lib/ldap/connection.ts';
import { type DirectoryPerson, maxSubjects, type OpenDirectory, withDirectory } from '../../lib/ldap/directory.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { claimsOf, directoryOf } from './ldap-sign-in.ts';
import { disableByService, enableAgain, type LeaveReason } from './leaving.ts';
import { placeByDirectory } from './placing.ts';
import { findService, listServices } from './service-list.ts';

/** What a synchronisation would do to one person. */
interface Change {
  subject: string;
  leaves: LeaveReason | null;
  returns: boolean;
  moves: boolean;
  /** Null for people who are not in the directory any more. */
  groups: readonly string[] | null;
}

export interface SyncOutcome {
  outcome: 'done' | 'failed' | 'stopped';
  note: string;
}

/** Services whose interval has passed. */
export async function listDueDirectories(ctx: Ctx): Promise<SignInService[]> {
  const due: SignInService[] = [];
  for (const service of await listServices(ctx, 'ldap')) {
    const last = await findDirectorySync(ctx.db.read, service.id);
    const everyMs = syncIntervalMs(service.settings.sync!)!;
    if (last === undefined || last.at + everyMs <= ctx.clock.now()) due.push(service);
  }
  return due;
}

/** Records the outcome, and an event if it changed something or is another one than last time. */
export async function syncDirectory(ctx: Ctx, service: SignInService): Promise<SyncOutcome> {
  const isPermitted = (await findDirectorySync(ctx.db.read, service.id))?.note === permittedNote;
  const result = await attempt(ctx, service, isPermitted);
  const { outcome, note } = result;
  await ctx.db.write(async (tx) => {
    const last = await findDirectorySync(tx, service.id);
    await saveDirectorySync(tx, service.id, { outcome, note, at: ctx.clock.now() });
    if (last?.outcome === outcome && last.note === note) return;
    await record(ctx, tx, systemCaller, {
      action: 'sign_in_service.synced',
      object: { kind: 'sign_in_service', id: service.id },
      ownerId: '',
      facts: { outcome, note },
    });
  });
  return result;
}

/** The next comparison, which is due immediately, changes as many people as it finds. */
export async function permitSync(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  requireRight(caller, 'system.change');
  await ctx.db.write(async (tx) => {
    const last = await findDirectorySync(tx, id);
    const service = await findService(ctx, 'ldap', id);
    if (last?.outcome !== 'stopped' || service === undefined)
      throw new Problem('conflict', 'sign_in_service.not_stopped', 'No synchronisation waits for permission.');
    await saveDirectorySync(tx, id, {
      outcome: 'done',
      note: permittedNote,
      at: ctx.clock.now() - syncIntervalMs(service.settings.sync!)!,
    });
    await record(ctx, tx, caller, {
      action: 'sign_in_service.synced',
      object: { kind: 'sign_in_service', id },
      ownerId: '',
      facts: { outcome: permittedNote, note: last.note },
    });
  });
}

async function attempt(ctx: Ctx, service: SignInService, isPermitted: boolean): Promise<SyncOutcome> {
  let found: { changes: Change[]; people: number };
  try {
    found = await withDirectory(directoryOf(service), (directory) => compare(ctx, service, directory));
  } catch (error) {
    if (!(error instanceof LdapFault)) throw error;
    ctx.log.warn({ service: service.id, step: error.step, words: error.message }, 'a directory could not be compared');
    return { outcome: 'failed', note: error.message };
  }
  const { changes, people } = found;
  const severe = changes.filter(({ leaves, moves }) => leaves !== null || moves).length;
  if (!isPermitted && isMassChange(severe, people))
    return {
      outcome: 'stopped',
      note: `${severe} of ${people} people of ${service.name} would be switched off or moved to another group`,
    };
  return { outcome: 'done', note: await applyAll(ctx, service, changes) };
}

async function compare(ctx: Ctx, service: SignInService, directory: OpenDirectory) {
  const groups = await listGroups(ctx.db.read);
  const changes: Change[] = [];
  let people = 0;
  let missing = 0;
  for (let after = ''; ; ) {
    const page = await listSyncedPeople(ctx.db.read, service.id, { after, limit: maxSubjects });
    if (page.length === 0) break;
    after = page.at(-1)!.id;
    const found = await directory.findPeople(page.map(({ subject }) => subject));
    for (const person of page) {
      people++;
      const entry = found.get(person.subject);
      if (entry === undefined) missing++;
      const change = changeOf(service, groups, person, entry);
      if (change !== null) changes.push(change);
    }
  }
  if (missing > 0 && !(await directory.hasPeople()))
    throw new LdapFault(
      'search',
      'the directory shows no people: check the base and the rights of the searching account',
    );
  return { changes, people };
}

function changeOf(
  service: SignInService,
  groups: readonly Group[],
  person: SyncedPerson,
  entry: DirectoryPerson | undefined,
): Change | null {
  const { subject, isActive, isDisabledByService } = person;
  const gone = entry === undefined ? 'missing' : entry.isDisabled ? 'disabled' : null;
  if (entry === undefined || gone !== null)
    return isActive && gone !== null ? { subject, leaves: gone, returns: false, moves: false, groups: null } : null;
  const { groups: named } = claimsOf(service, entry);
  const names = named ?? [];
  const place = groupFor(groups, service, { address: person.email, directoryGroups: names });
  const moves = !person.isGroupAssigned && place.groupId !== person.groupId;
  const isNews = moves || isDisabledByService || JSON.stringify(names) !== person.directoryGroups;
  return isNews ? { subject, leaves: null, returns: isDisabledByService, moves, groups: names } : null;
}

/** Each person in a transaction of its own. */
async function applyAll(ctx: Ctx, service: SignInService, changes: readonly Change[]): Promise<string> {
  const done = { left: 0, returned: 0, moved: 0, kept: 0 };
  for (const change of changes)
    await ctx.db.write(async (tx) => {
      const result = await applyOne(ctx, tx, service, change);
      if (result !== null) done[result]++;
    });
  const kept = done.kept === 0 ? '' : ', the last System Administrator stays';
  return `${done.left} switched off, ${done.returned} switched on, ${done.moved} moved${kept}`;
}

async function applyOne(
  ctx: Ctx,
  tx: Tx,
  service: SignInService,
  { subject, leaves, groups }: Change,
): Promise<'left' | 'returned' | 'moved' | 'kept' | null> {
  const identity = await findIdentity(tx, service.id, subject);
  if (identity === undefined) return null;
  if (leaves !== null) {
    const result = await disableByService(ctx, tx, systemCaller, { identity, reason: leaves });
    return result === 'left' ? 'left' : result === 'last_administrator' ? 'kept' : null;
  }
  const isBack = await enableAgain(ctx, tx, systemCaller, identity);
  if (groups !== null) await noteDirectoryGroups(tx, identity.id, groups);
  const moved = { service, userId: identity.userId, directoryGroups: groups };
  const isMoved = await placeByDirectory(ctx, tx, systemCaller, moved);
  return isBack ? 'returned' : isMoved ? 'moved' : null;
}
