// Calls on one person or their objects that change no rank, decided by who reaches whom. Independent of the service's code.
import { isBelow, isInReach, type Outcome, rankIn, roleIn, type World } from './rank-model.ts';

const onAccounts = [
  'look_up',
  'look_closer',
  'find_in_users',
  'find_in_people',
  'explain',
  'state_exposure',
  'set_hold',
  'plan_erasure',
  'export_person',
  'read_key_with_reason',
  'invite_again',
  'end_sessions',
  'end_session',
  'reset_second_step_with_reason',
  'erase',
  'renew_client_key',
  'plan_people_bulk',
  'carry_people_bulk_on',
  'hand_on_and_delete',
  'which_group',
  'begin_bulk',
  'plan_bulk',
  'stop_upload',
  'extend_transfer',
  'make_drop_page',
  'read_drop_page',
  'find_in_drop_pages',
  'change_drop_page',
  'delete_drop_page',
] as const;
/** An object that outlives its account. */
const onTransfers = ['stop_transfer', 'carry_bulk_on', 'read_transfer', 'read_receipt', 'find_in_transfers'] as const;
const onTasks = ['read_task', 'stop_task', 'find_in_tasks'] as const;
/** Only a System Administrator reaches these, for all people. */
const forChiefs = ['read_subject', 'unlock'] as const;

export const reachNames = [...onAccounts, ...onTransfers, ...onTasks, ...forChiefs] as const;
export type ReachName = (typeof reachNames)[number];
export type ReachCall = { is: ReachName; target: number } | { is: 'hand_over'; target: number; to: number };

/** What the rules may depend on. Only administrators reach anyone. */
export function reachOf(world: World, caller: number, target: number): string {
  if (target === caller) return 'self';
  const role = roleIn(world, world.people[caller]!.group);
  const { group, state } = world.people[target]!;
  if (role === 'user') return 'other';
  return role === 'auditor' ? state : `${group === 'outside'} ${roleIn(world, group)} ${state}`;
}

/** The same for handing over, where pairs of people matter. */
export function handOverOf(world: World, caller: number, person: number): string {
  if (person === caller) return 'self';
  const { group, state } = world.people[person]!;
  return `${rankIn(world, group)} ${state}`;
}

export function expectedReach(world: World, caller: number, call: ReachCall): Outcome | null {
  const role = roleIn(world, world.people[caller]!.group);
  if (role === 'auditor' && isWatched(world, call)) return calm(world);
  if (role !== 'system_administrator' && role !== 'administrator') return null;
  return isPermitted(world, caller, call) ? outcomeOf(world, call) : null;
}

/** What auditors see of all people; for drop pages, of those who receive there and still exist. */
function isWatched(world: World, { is, target }: ReachCall): boolean {
  if (is === 'read_transfer' || is === 'read_receipt' || is === 'find_in_transfers') return true;
  return (is === 'read_drop_page' || is === 'find_in_drop_pages') && world.people[target]!.state !== 'deleted';
}

function isPermitted(world: World, caller: number, call: ReachCall): boolean {
  const { target, is } = call;
  const { state } = world.people[target]!;
  const isSelf = target === caller;
  const isChief = roleIn(world, world.people[caller]!.group) === 'system_administrator';
  if (isAmong(forChiefs, is)) return isChief;
  if (isAmong(onTasks, is)) return isSelf || isChief;
  if (isAmong(onTransfers, is)) return isSelf || isBelow(world, caller, target);
  if (is === 'hand_over') return mayHandOver(world, caller, { from: target, to: call.to });
  // The address of a deleted person is free again, and their drop page has no recipient.
  if (isAmong(['which_group', 'change_drop_page', 'delete_drop_page'], is) && state === 'deleted') return true;
  if (!isInReach(world, caller, target)) return false;
  if (is === 'read_key_with_reason' || is === 'invite_again') return state === 'active';
  if (is === 'plan_people_bulk' || is === 'carry_people_bulk_on') return !isSelf && state === 'active';
  return !isSelf || (is !== 'hand_on_and_delete' && is !== 'erase' && is !== 'reset_second_step_with_reason');
}

/** From a person below to another existing person within reach; colleagues' transfers stay with colleagues. */
function mayHandOver(world: World, caller: number, { from, to }: { from: number; to: number }): boolean {
  const [owner, newOwner] = [world.people[from]!, world.people[to]!];
  if (to === caller || from === to || newOwner.state !== 'active' || !isInReach(world, caller, to)) return false;
  if (from !== caller && !isBelow(world, caller, from)) return false;
  return newOwner.group !== 'outside' || (owner.group === 'outside' && owner.state !== 'deleted');
}

function outcomeOf(world: World, { is, target }: ReachCall): Outcome {
  if (is === 'erase') {
    const person = { ...world.people[target]!, state: 'deleted' } as const;
    return { world: { ...world, people: world.people.with(target, person) }, signedOut: [target], newKeys: [] };
  }
  if (is === 'carry_people_bulk_on' || is === 'hand_on_and_delete') {
    const person = { ...world.people[target]!, state: 'disabled' } as const;
    return { world: { ...world, people: world.people.with(target, person) }, signedOut: [target], newKeys: [] };
  }
  const endsSessions = is === 'end_sessions' || is === 'end_session' || is === 'reset_second_step_with_reason';
  return { world, signedOut: endsSessions ? [target] : [], newKeys: [] };
}

function calm(world: World): Outcome {
  return { world, signedOut: [], newKeys: [] };
}

function isAmong(names: readonly string[], name: string): boolean {
  return names.includes(name);
}
