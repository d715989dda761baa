// Administration of functions' drop pages. Changes require all receivers within reach, so that submissions
// to higher ranks cannot be diverted.
import { findDropOwnerId } from '../../db/filedrops/filedrops.ts';
import {
  deleteSystemDrop as deleteStored,
  findSystemDrop,
  insertSystemDrop,
  listDropDeliveries,
  listSystemDrops as listStored,
  lockSystemDrop,
  updateSystemDrop,
} from '../../db/filedrops/system-drops.ts';
import type { Query, Tx } from '../../db/schema/schema.ts';
import { findUser } from '../../db/users/users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { Changes } from '../../domain/event-facts.ts';
import { invalid, notFound, Problem } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import {
  assertTypesLeft,
  type DropSettings,
  maxReceivers,
  newDrop,
  resolveDrop,
  type SystemDrop,
} from '../../domain/system-drops.ts';
import type { User } from '../../domain/users.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { writeUnique } from '../unique.ts';
import { findPerson, isVisible } from '../users/rights.ts';
import { canReceive } from './receivers.ts';

export interface ManagedDrop extends Omit<SystemDrop, 'receivers'> {
  url: string;
  /** Empty fields for users out of the caller's reach. */
  receivers: (Pick<User, 'id' | 'name' | 'email'> & { canReceive: boolean })[];
  mayChange: boolean;
  deliveries: number;
  lastDeliveryAt: number | null;
}

export async function listSystemDrops(ctx: Ctx, caller: UserCaller): Promise<ManagedDrop[]> {
  requireRight(caller, 'console.read');
  const deliveries = await listDropDeliveries(ctx.db.read);
  const drops: ManagedDrop[] = [];
  for (const drop of await listStored(ctx.db.read))
    drops.push(await describe(ctx, caller, drop, deliveries.get(drop.id)));
  return drops;
}

export async function getSystemDrop(ctx: Ctx, caller: UserCaller, id: string): Promise<ManagedDrop> {
  requireRight(caller, 'console.read');
  const drop = await findSystemDrop(ctx.db.read, { id });
  if (drop === null) throw unknown();
  return describe(ctx, caller, drop, (await listDropDeliveries(ctx.db.read)).get(id));
}

async function describe(
  ctx: Ctx,
  caller: UserCaller,
  drop: SystemDrop,
  deliveries: { count: number; lastAt: number } | undefined,
): Promise<ManagedDrop> {
  const people = await findReceivers(ctx.db.read, drop);
  const isShown = (person: User) => caller.role === 'auditor' || isVisible(caller, person);
  return {
    ...drop,
    url: `${ctx.settings.surroundings.baseUrl}/filedrop/${drop.name}`,
    receivers: people.map((person) => {
      const { id, name, email } = isShown(person) ? person : { id: '', name: '', email: '' };
      return { id, name, email, canReceive: canReceive(person) };
    }),
    mayChange: caller.role !== 'auditor' && people.every((person) => isVisible(caller, person)),
    deliveries: deliveries?.count ?? 0,
    lastDeliveryAt: deliveries?.lastAt ?? null,
  };
}

/** Without deleted users. */
async function findReceivers(db: Query, { receivers }: Pick<SystemDrop, 'receivers'>): Promise<User[]> {
  const people = await Promise.all(receivers.map((id) => findUser(db, id)));
  return people.flatMap((person) => (person === undefined ? [] : [person]));
}

/** Receivers by id or address. */
export type DropInput = Partial<DropSettings>;

export async function createSystemDrop(ctx: Ctx, caller: UserCaller, input: DropInput): Promise<ManagedDrop> {
  requireRight(caller, 'console.change');
  const id = ctx.random.id();
  await writeUnique(ctx, async (tx) => {
    const settings = await resolveSettings(tx, caller, newDrop, input);
    await assertFreeName(tx, settings.name, id);
    const now = ctx.clock.now();
    await insertSystemDrop(tx, { ...settings, id, createdAt: now, updatedAt: now });
    await record(ctx, tx, caller, { action: 'filedrop.created', ...about(id), facts: wireOf(settings) });
  });
  return getSystemDrop(ctx, caller, id);
}

/** Fields that are left out do not change. */
export async function changeSystemDrop(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  input: DropInput,
): Promise<ManagedDrop> {
  requireRight(caller, 'console.change');
  await writeUnique(ctx, async (tx) => {
    const drop = await holdReachable(tx, caller, id);
    const settings = await resolveSettings(tx, caller, drop, input);
    await assertFreeName(tx, settings.name, id);
    const facts = changesOf(wireOf(drop), wireOf(settings));
    if (Object.keys(facts).length === 0) return;
    await updateSystemDrop(tx, { ...drop, ...settings, updatedAt: ctx.clock.now() });
    await record(ctx, tx, caller, { action: 'filedrop.changed', ...about(id), facts });
  });
  return getSystemDrop(ctx, caller, id);
}

/** Submissions remain with their receivers. */
export async function deleteSystemDrop(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  requireRight(caller, 'console.change');
  await ctx.db.write(async (tx) => {
    const drop = await holdReachable(tx, caller, id);
    await deleteStored(tx, id);
    await record(ctx, tx, caller, { action: 'filedrop.deleted', ...about(id), facts: wireOf(drop) });
  });
}

async function holdReachable(tx: Tx, caller: UserCaller, id: string): Promise<SystemDrop> {
  const drop = await lockSystemDrop(tx, id);
  if (drop === null) throw unknown();
  const people = await findReceivers(tx, drop);
  if (people.every((person) => isVisible(caller, person))) return drop;
  throw new Problem(
    'forbidden',
    'filedrop.out_of_reach',
    'One of the receivers is someone you can’t manage. Ask a System Administrator to change this page.',
  );
}

async function resolveSettings(
  tx: Tx,
  caller: UserCaller,
  present: DropSettings,
  input: DropInput,
): Promise<DropSettings> {
  const settings = resolveDrop(present, input);
  const people = await findReceivers(tx, present);
  const receivers = input.receivers === undefined ? people : await readReceivers(tx, caller, input.receivers);
  const holder = receivers.find(canReceive);
  if (settings.isOpen && holder === undefined) {
    throw invalid(
      'filedrop.no_receiver',
      'A drop page needs at least one person who can receive: an active account with a confirmed address.',
      'receivers',
    );
  }
  if (holder !== undefined) assertTypesLeft(settings, holder.policy);
  return { ...settings, receivers: receivers.map(({ id }) => id) };
}

async function readReceivers(tx: Tx, caller: UserCaller, input: readonly string[]): Promise<User[]> {
  if (input.length > maxReceivers) {
    throw invalid(
      'filedrop.too_many_receivers',
      `At most ${maxReceivers} people can receive at one page.`,
      'receivers',
    ).withValues({ n: maxReceivers });
  }
  const found = new Map<string, User>();
  for (const who of input) {
    const person = await findPerson(tx, who.trim());
    if (person === undefined || !isVisible(caller, person)) throw unknownReceiver(who);
    found.set(person.id, person);
  }
  return [...found.values()];
}

function unknownReceiver(who: string): Problem {
  const address = who.slice(0, 100);
  return invalid(
    'filedrop.unknown_receiver',
    `${address} has no account here that you can choose.`,
    'receivers',
  ).withValues({ address });
}

/** Random names of personal pages count too. */
async function assertFreeName(tx: Tx, name: string, id: string): Promise<void> {
  const other = await findSystemDrop(tx, { name });
  if ((other === null || other.id === id) && (await findDropOwnerId(tx, name)) === null) return;
  throw invalid('filedrop.name_taken', 'Another drop page has this address already.', 'name');
}

function unknown(): Problem {
  return notFound('filedrop', 'There’s nothing at this address.');
}

const about = (id: string) => ({ object: { kind: 'filedrop', id }, ownerId: '' }) as const;

/** By wire name. */
function wireOf(settings: DropSettings): Record<string, unknown> {
  return {
    name: settings.name,
    title: settings.title,
    intro: settings.intro,
    receivers: settings.receivers,
    max_size: settings.maxSize,
    permitted_extensions: settings.permittedExtensions,
    confirm_sender: settings.confirmsSender,
    open: settings.isOpen,
  };
}

function changesOf(before: Record<string, unknown>, after: Record<string, unknown>): Changes {
  const different = Object.keys(after).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
  return Object.fromEntries(different.map((key) => [key, { from: before[key], to: after[key] }]));
}
