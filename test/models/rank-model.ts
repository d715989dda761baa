// The rank rule as a minimal model: five people, six groups, and the effect of each call. Independent of the service's code.
import type { Role } from '#server/domain/roles.ts';

/** `team` is a group whose role can change; the others are as shipped, and one of auditors. */
export const groupNames = ['chiefs', 'admins', 'auditors', 'locals', 'outside', 'team'] as const;
export type GroupName = (typeof groupNames)[number];

export interface Person {
  group: GroupName;
  state: 'active' | 'disabled' | 'deleted';
}

export interface World {
  people: readonly Person[];
  teamRole: Role;
}

export type RankCall =
  | { is: 'move'; target: number; to: GroupName }
  | { is: 'disable' | 'enable' | 'leave' | 'delete' | 'rename' | 'read_key' | 'reset_second_step'; target: number }
  | { is: 'give_address'; target: number; of: number }
  | { is: 'create' | 'import' | 'plan_import'; into: GroupName }
  | { is: 'change_team' | 'restore_team'; role: Role }
  | { is: 'raise_shipped' | 'rename_group' | 'create_group' | 'delete_team' | 'order_groups' };

/** The result of a permitted call; who is signed out and whose keys are replaced. */
export interface Outcome {
  world: World;
  signedOut: number[];
  newKeys: number[];
}

export const firstWorld: World = {
  people: (['chiefs', 'admins', 'auditors', 'locals', 'outside'] as const).map((group) => ({ group, state: 'active' })),
  teamRole: 'user',
};

const fixedRoles = {
  chiefs: 'system_administrator',
  admins: 'administrator',
  auditors: 'auditor',
  locals: 'user',
  outside: 'user',
} as const;

export function roleIn(world: World, group: GroupName): Role {
  return group === 'team' ? world.teamRole : fixedRoles[group];
}

export function rankIn(world: World, group: GroupName): number {
  const role = roleIn(world, group);
  if (role === 'user') return group === 'outside' ? 0 : 1;
  return role === 'system_administrator' ? 3 : 2;
}

export function activeChiefs(world: World): number {
  return world.people.filter(
    ({ group, state }) => state === 'active' && roleIn(world, group) === 'system_administrator',
  ).length;
}

/** The calls that change the world; calls on one person are in `rank-reach.ts`. */
export function callsIn(world: World): RankCall[] {
  const targets = world.people.map((_, target) => target);
  return [
    ...targets.flatMap((target) => groupNames.map((to) => ({ is: 'move', target, to }) as const)),
    ...targets.flatMap((target) =>
      (['disable', 'enable', 'leave', 'delete', 'rename', 'read_key', 'reset_second_step'] as const).map((is) => ({
        is,
        target,
      })),
    ),
    // Other calls test whom the caller reaches; here it matters whose address it is.
    ...targets.map((of) => ({ is: 'give_address', target: targets.length - 1, of }) as const),
    ...groupNames.flatMap((into) => (['create', 'import', 'plan_import'] as const).map((is) => ({ is, into }))),
    ...(['user', 'auditor', 'administrator', 'system_administrator'] as const).flatMap((role) =>
      (['change_team', 'restore_team'] as const).map((is) => ({ is, role })),
    ),
    ...(['raise_shipped', 'rename_group', 'create_group', 'delete_team', 'order_groups'] as const).map((is) => ({
      is,
    })),
  ];
}

export function expected(world: World, caller: number, call: RankCall): Outcome | null {
  const role = roleIn(world, world.people[caller]!.group);
  const isChief = role === 'system_administrator';
  if (!isChief && role !== 'administrator') return null;
  if ('target' in call) return isInReach(world, caller, call.target) ? onPerson(world, caller, call) : null;
  if ('into' in call) return isChief || rankIn(world, call.into) < 2 ? unchanged(world) : null;
  return isChief ? onGroup(world, caller, call) : null;
}

/** The account exists, and is the caller's own or one below it. */
export function isInReach(world: World, caller: number, target: number): boolean {
  return world.people[target]!.state !== 'deleted' && (target === caller || isBelow(world, caller, target));
}

/** No one is above a System Administrator; other equals do not reach each other. */
export function isBelow(world: World, caller: number, target: number): boolean {
  const own = rankIn(world, world.people[caller]!.group);
  return own === 3 || rankIn(world, world.people[target]!.group) < own;
}

function onPerson(world: World, caller: number, call: Extract<RankCall, { target: number }>): Outcome | null {
  const { target } = call;
  const person = world.people[target]!;
  const isSelf = target === caller;
  switch (call.is) {
    case 'move': {
      const [before, after] = [roleIn(world, person.group), roleIn(world, call.to)];
      if (isSelf && before !== after) return null;
      if (rankIn(world, world.people[caller]!.group) < 3 && rankIn(world, call.to) >= 2) return null;
      const next = withPerson(world, target, { ...person, group: call.to });
      const signedOut = call.to === person.group ? [] : [target];
      return { world: next, signedOut, newKeys: gains(before, after) ? [target] : [] };
    }
    case 'disable':
    case 'leave':
      if (isSelf) return null;
      return {
        world: withPerson(world, target, { ...person, state: 'disabled' }),
        signedOut: [target],
        newKeys: [],
      };
    case 'enable':
      return { world: withPerson(world, target, { ...person, state: 'active' }), signedOut: [], newKeys: [] };
    case 'delete':
      if (isSelf) return null;
      return { world: withPerson(world, target, { ...person, state: 'deleted' }), signedOut: [target], newKeys: [] };
    case 'rename':
      return unchanged(world);
    case 'read_key':
      return person.state === 'active' ? unchanged(world) : null;
    case 'reset_second_step':
      return isSelf ? null : { world, signedOut: [target], newKeys: [] };
    case 'give_address': {
      const { state } = world.people[call.of]!;
      return state === 'deleted' || isInReach(world, caller, call.of) ? unchanged(world) : null;
    }
  }
}

function onGroup(world: World, caller: number, call: RankCall): Outcome | null {
  if (call.is === 'raise_shipped') return null;
  if (call.is === 'delete_team')
    return world.people.some(({ group, state }) => group === 'team' && state !== 'deleted')
      ? null
      : unchanged({ ...world, people: world.people.map(withoutTeam) });
  if (!('role' in call)) return unchanged(world);
  if (call.role === world.teamRole) return unchanged(world);
  if (world.people[caller]!.group === 'team') return null;
  const members = world.people.flatMap(({ group, state }, index) =>
    group === 'team' && state !== 'deleted' ? [index] : [],
  );
  return {
    world: { ...world, teamRole: call.role },
    signedOut: members,
    newKeys: gains(world.teamRole, call.role) ? members : [],
  };
}

/** Each other role can do something that this one cannot, except what a System Administrator leaves behind. */
function gains(before: Role, after: Role): boolean {
  return after !== 'user' && after !== before && before !== 'system_administrator';
}

function unchanged(world: World): Outcome {
  return { world, signedOut: [], newKeys: [] };
}

/** Deleted people keep their row for the log; without their group they count as outside people. */
function withoutTeam(person: Person): Person {
  return person.group === 'team' ? { ...person, group: 'outside' } : person;
}

function withPerson(world: World, index: number, person: Person): World {
  return { ...world, people: world.people.with(index, person) };
}
