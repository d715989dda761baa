// Decides the group of a person who signs in through a service.
import { type Group, groupClaiming } from './groups.ts';
import type { SignInService } from './sign-in-service-fields.ts';

export type GroupRule = 'assigned' | 'match' | 'service_default' | 'domain' | 'default';

type Candidate = Pick<Group, 'id' | 'domains' | 'matchGroups'>;

/** Names are compared without case and surrounding spaces, as directories do. */
export function foldDirectoryName(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}

/** The first group in order that names one of the directory groups. */
export function groupMatching<Matching extends Pick<Group, 'matchGroups'>>(
  groups: readonly Matching[],
  directoryGroups: readonly string[],
): Matching | undefined {
  const names = new Set(directoryGroups.map(foldDirectoryName));
  return groups.find(({ matchGroups }) => matchGroups.some((name) => names.has(foldDirectoryName(name))));
}

/** Without directory groups only the defaults apply. */
export function groupFor(
  groups: readonly Candidate[],
  service: Pick<SignInService, 'defaultGroupId'>,
  person: { address: string; directoryGroups: readonly string[] },
): { groupId: string; rule: Exclude<GroupRule, 'assigned'> } {
  const matching = groupMatching(groups, person.directoryGroups);
  if (matching !== undefined) return { groupId: matching.id, rule: 'match' };
  if (groups.some(({ id }) => id === service.defaultGroupId))
    return { groupId: service.defaultGroupId, rule: 'service_default' };
  const claiming = groupClaiming(groups, person.address);
  if (claiming !== undefined) return { groupId: claiming.id, rule: 'domain' };
  return { groupId: 'local-users', rule: 'default' };
}

/** More people than a directory disables or moves in one go without asking. */
export function isMassChange(changed: number, people: number): boolean {
  return changed > 5 && changed > people / 10;
}
