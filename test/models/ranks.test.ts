// Searches all sequences of four calls: none reaches an account, key, address or role at or above the caller's rank. The
// service runs each kind of situation once, and a sample of the others.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Endpoint, endpoints } from '#contract/endpoints.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { useApp } from '#test/kit/use-app.ts';
import { callsBehind, withoutRank } from './rank-endpoints.ts';
import {
  activeChiefs,
  callsIn,
  expected,
  firstWorld,
  groupNames,
  type Outcome,
  type Person,
  type RankCall,
  rankIn,
  roleIn,
  type World,
} from './rank-model.ts';
import { expectedReach, handOverOf, type ReachCall, reachNames, reachOf } from './rank-reach.ts';
import { isReachCall, RankWorld } from './rank-world.ts';

const depth = 4;
/** One in this many of the known situations is repeated in another world. */
const sampleEvery = 9973;

interface Step {
  world: World;
  caller: number;
  call: RankCall | ReachCall;
}

onOneEngine('ranks', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let real: RankWorld;
  const asked: Step[] = [];
  before(async () => {
    real = new RankWorld(app);
    await real.create(firstWorld.people.length);
  });

  test('hold in the model for every sequence of four calls', () => {
    const situations = new Set<string>();
    let steps = 0;
    for (const world of worldsWithin(depth - 1))
      for (const [caller, person] of world.people.entries()) {
        if (person.state !== 'active' || isLikeOneBefore(world, caller)) continue;
        for (const call of newReachCalls(situations, world, caller)) asked.push({ world, caller, call });
        for (const call of callsIn(world)) {
          const outcome = expected(world, caller, call);
          if (outcome !== null) checkRule(world, caller, outcome);
          const situation = situationOf({ world, caller, call });
          steps += 1;
          if (situations.has(situation) && steps % sampleEvery !== 0) continue;
          situations.add(situation);
          asked.push({ world, caller, call });
        }
      }
    assert.ok(steps > 300_000, `only ${steps} steps`);
  });

  test('are the same in the service, in every kind of situation', async () => {
    assert.ok(asked.length > 1_000, `only ${asked.length} situations`);
    for (const { world, caller, call } of asked) {
      await real.enter(world);
      const outcome = await real.attempt(caller, call);
      const where = (): string => JSON.stringify({ people: world.people, team: world.teamRole, caller, call });
      assert.deepEqual(outcome, expectedInService(world, caller, call), where());
    }
  });

  test('cover every call that needs a right, or state a reason why not', () => {
    const ofAdministrators = (Object.entries(endpoints) as [string, Endpoint][])
      .filter(([, { right }]) => right !== undefined)
      .map(([name]) => name);
    const known = [...Object.keys(callsBehind), ...Object.keys(withoutRank)];
    assert.deepEqual(known.toSorted(), ofAdministrators.toSorted(), 'each call once, in one of the two lists');
    const kinds = new Set(asked.map(({ call }) => call.is));
    assert.deepEqual(new Set(Object.values(callsBehind).flat()), kinds);
    for (const [name, reason] of Object.entries(withoutRank)) assert.ok(reason.length > 20, name);
  });
});

/** Calls on one person, in new situations. They lead to no other world. */
function newReachCalls(met: Set<string>, world: World, caller: number): ReachCall[] {
  const role = roleIn(world, world.people[caller]!.group);
  const found: ReachCall[] = [];
  const isNew = (situation: string) => met.size < met.add(situation).size;
  const isAdministrator = role === 'administrator' || role === 'system_administrator';
  for (const target of world.people.keys()) {
    if (isNew(`reach|${role}|${reachOf(world, caller, target)}`))
      found.push(...reachNames.map((is) => ({ is, target })));
    for (const to of world.people.keys()) {
      const pair = [target, to].map((person) => handOverOf(world, caller, person)).join('|');
      if (isNew(`hand over|${role}|${isAdministrator ? `${pair}|${to === target}` : ''}`))
        found.push({ is: 'hand_over', target, to });
    }
  }
  return found;
}

/** Disabled and deleted people have no session; the world starts with one for each person. */
function expectedInService(world: World, caller: number, call: RankCall | ReachCall): Outcome | null {
  const outcome = isReachCall(call) ? expectedReach(world, caller, call) : expected(world, caller, call);
  return outcome === null ? null : { ...outcome, signedOut: outcome.signedOut.toSorted() };
}

function checkRule(world: World, caller: number, outcome: Outcome): void {
  const next = outcome.world;
  assert.ok(activeChiefs(next) >= 1, 'no administrator is left');
  const own = world.people[caller]!;
  assert.equal(next.people[caller]!.state, 'active', 'no one locks themselves out');
  assert.equal(roleIn(next, next.people[caller]!.group), roleIn(world, own.group), 'no one changes their own role');
  if (roleIn(world, own.group) === 'system_administrator') return;
  assert.equal(roleIn(world, own.group), 'administrator', 'only administrators change anything');
  assert.equal(next.teamRole, world.teamRole);
  for (const [index, person] of next.people.entries()) {
    const old = world.people[index]!;
    if (person === old || index === caller) continue;
    assert.ok(rankIn(world, old.group) < 2 && rankIn(next, person.group) < 2, 'only below their own rank');
  }
}

/** All worlds that this many permitted calls can lead to; people in the same group and state are alike. */
function worldsWithin(calls: number): World[] {
  const found = new Map([[nameOf(firstWorld), firstWorld]]);
  let edge = [firstWorld];
  for (let step = 0; step < calls; step++) {
    const next: World[] = [];
    for (const world of edge)
      for (const [caller, person] of world.people.entries()) {
        if (person.state !== 'active' || isLikeOneBefore(world, caller)) continue;
        for (const call of callsIn(world)) {
          const outcome = expected(world, caller, call);
          if (outcome === null || outcome.world === world) continue;
          const sorted = { ...outcome.world, people: outcome.world.people.toSorted(byPlace) };
          const name = nameOf(sorted);
          if (found.has(name)) continue;
          found.set(name, sorted);
          next.push(sorted);
        }
      }
    edge = next;
  }
  return [...found.values()];
}

/** People in the same group and state make the same calls. */
function isLikeOneBefore({ people }: World, index: number): boolean {
  const { group, state } = people[index]!;
  return people.findIndex((other) => other.group === group && other.state === state) < index;
}

function nameOf({ people, teamRole }: World): string {
  return `${people.map(placeOf).toSorted().join(' ')} ${teamRole}`;
}

const places = Object.fromEntries(
  groupNames.map((group) => [
    group,
    { active: `${group}.active`, disabled: `${group}.disabled`, deleted: `${group}.deleted` },
  ]),
) as Record<Person['group'], Record<Person['state'], string>>;

function placeOf({ group, state }: Person): string {
  return places[group][state];
}

function byPlace(one: Person, other: Person): number {
  return placeOf(one) < placeOf(other) ? -1 : 1;
}

/** All facts that the rules may depend on; callers who are not administrators are always refused. */
function situationOf({ world, caller, call }: Step & { call: RankCall }): string {
  const { people, teamRole } = world;
  const own = people[caller]!;
  const about = (index: number) => (index === caller ? 'self' : placeIn(world, people[index]!));
  const common = `${placeIn(world, own)}|${call.is}|`;
  /** Whether others are left matters only for members of that role. */
  const isLast = (index: number) =>
    people[index]!.state === 'active' &&
    roleIn(world, people[index]!.group) === 'system_administrator' &&
    activeChiefs(world) === 1;
  if (!/chiefs|admins|team:.*admin/.test(common)) return `${common}${'target' in call && call.target === caller}`;
  if (call.is === 'move')
    return `${common}${about(call.target)}|${call.to}${call.to === 'team' ? teamRole : ''}|${isLast(call.target)}`;
  const rankOf = (index: number) => (people[index]!.state === 'deleted' ? '-' : rankIn(world, people[index]!.group));
  if (call.is === 'give_address') return `${common}${rankOf(call.target)}|${rankOf(call.of)}|${call.of === caller}`;
  if ('target' in call) return `${common}${about(call.target)}|${isLast(call.target)}`;
  if ('into' in call) return `${common}${call.into}${call.into === 'team' ? teamRole : ''}`;
  if (!('role' in call) && call.is !== 'delete_team') return common;
  const members = new Set(people.filter(({ group }) => group === 'team').map(({ state }) => state));
  return `${common}${'role' in call ? call.role : ''}|${teamRole}|${[...members].sort().join()}`;
}

function placeIn({ teamRole }: World, person: Person): string {
  return person.group === 'team' ? `team:${teamRole}.${person.state}` : placeOf(person);
}
