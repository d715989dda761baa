// System Administrators set up sign-in services. Secrets are sealed and never returned.

import { findGroup } from '../../db/groups/groups.ts';
import { deleteDirectorySync } from '../../db/identity/directory-syncs.ts';
import { deleteSamlState } from '../../db/identity/saml-states.ts';
import {
  deleteService as deleteStored,
  findStoredService,
  listStoredServices,
  type ServiceValues,
  saveService,
} from '../../db/identity/service-rows.ts';
import { deleteSignInAttempts, listSignInAttempts, type SignInAttempt } from '../../db/identity/sign-in-attempts.ts';
import type { Query, Tx } from '../../db/schema/schema.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { Changes } from '../../domain/event-facts.ts';
import { invalid, notFound, Problem } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import {
  fieldsOf,
  readService,
  type ServiceFault,
  type ServiceKind,
  type SignInService,
} from '../../domain/sign-in-service-fields.ts';
import { slugOf } from '../../domain/users.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { scimIdentity } from '../scim/scim-identity.ts';
import { writeUnique } from '../unique.ts';
import { refusalWords } from './refusals.ts';
import { listAllServices } from './service-list.ts';

export interface ServiceInput {
  id?: string | undefined;
  kind?: ServiceKind | undefined;
  isEnabled?: boolean | undefined;
  /** By wire name. A secret that is left out stays. */
  fields: Readonly<Record<string, string>>;
}

export async function listForConsole(ctx: Ctx, caller: UserCaller): Promise<SignInService[]> {
  requireRight(caller, 'system.read');
  return listAllServices(ctx);
}

export async function getService(ctx: Ctx, caller: UserCaller, id: string): Promise<SignInService> {
  const found = (await listForConsole(ctx, caller)).find((service) => service.id === id);
  if (found === undefined) throw notFound('sign_in service', 'There is no such sign-in service.');
  return found;
}

export async function createService(ctx: Ctx, caller: UserCaller, input: ServiceInput): Promise<SignInService> {
  requireRight(caller, 'system.change');
  const { kind } = input;
  if (kind === undefined) throw kindMissing();
  const id = readId(input, kind);
  await writeUnique(ctx, async (tx) => {
    await requireFreeId(ctx, tx, id);
    const stored = await listStoredServices(tx);
    const position = 1 + Math.max(0, ...stored.map(({ service }) => service.position));
    const values = await readValues(tx, kind, {}, input);
    const { service } = readService(kind, id, values);
    const placed = { ...service, position, isEnabled: input.isEnabled ?? true };
    await save(ctx, tx, placed, values);
    await record(ctx, tx, caller, {
      action: 'sign_in_service.created',
      object: { kind: 'sign_in_service', id },
      ownerId: '',
      facts: { changes: changesBetween(kind, {}, values) },
    });
  });
  return getService(ctx, caller, id);
}

/** A service as it would be saved: `id` names one that is, and its secrets are kept. */
export async function readDraft(ctx: Ctx, { id, kind, ...input }: ServiceInput): Promise<SignInService> {
  const known = id === undefined ? undefined : (await listAllServices(ctx)).find((service) => service.id === id);
  if (known?.source === 'environment') {
    if (Object.keys(input.fields).length > 0) requireConsole(ctx, known.id);
    return known;
  }
  const values = known === undefined ? {} : (await findStoredService(ctx.db.read, known.id))!.values;
  const wanted = known?.kind ?? kind;
  if (wanted === undefined) throw kindMissing();
  const draftId = known?.id ?? readId({ id, ...input }, wanted);
  if (known === undefined) await requireFreeId(ctx, ctx.db.read, draftId);
  return readService(wanted, draftId, await readValues(ctx.db.read, wanted, values, input)).service;
}

export async function changeService(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  input: ServiceInput,
): Promise<SignInService> {
  requireRight(caller, 'system.change');
  requireConsole(ctx, id);
  await ctx.db.write(async (tx) => {
    const found = await findStoredService(tx, id);
    if (found === undefined) throw notFound('sign_in service', 'There is no such sign-in service.');
    const { kind, position, isEnabled } = found.service;
    const values = await readValues(tx, kind, found.values, input);
    const { service } = readService(kind, id, values);
    await save(ctx, tx, { ...service, position, isEnabled: input.isEnabled ?? isEnabled }, values);
    const changes = changesBetween(kind, found.values, values);
    if (input.isEnabled !== undefined && input.isEnabled !== isEnabled)
      changes.enabled = { from: isEnabled, to: input.isEnabled };
    await record(ctx, tx, caller, {
      action: 'sign_in_service.changed',
      object: { kind: 'sign_in_service', id },
      ownerId: '',
      facts: { changes },
    });
  });
  return getService(ctx, caller, id);
}

export async function removeService(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  requireRight(caller, 'system.change');
  requireConsole(ctx, id);
  await ctx.db.write(async (tx) => {
    if ((await findStoredService(tx, id)) === undefined)
      throw notFound('sign_in service', 'There is no such sign-in service.');
    await deleteStored(tx, id);
    await deleteSignInAttempts(tx, id);
    await deleteDirectorySync(tx, id);
    await deleteSamlState(tx, id);
    await record(ctx, tx, caller, {
      action: 'sign_in_service.deleted',
      object: { kind: 'sign_in_service', id },
      ownerId: '',
    });
  });
}

/** With the refusal in words. */
export async function listAttempts(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
): Promise<(SignInAttempt & { words: string })[]> {
  const service = await getService(ctx, caller, id);
  const attempts = await listSignInAttempts(ctx.db.read, id);
  return attempts.map((attempt) => ({ ...attempt, words: refusalWords(attempt.reason, service) }));
}

const kindMissing = () => invalid('sign_in_service.kind_missing', 'Choose the kind of service.', 'kind');

async function requireFreeId(ctx: Ctx, db: Query, id: string): Promise<void> {
  const stored = (await listStoredServices(db)).map(({ service }) => service);
  const isTaken = [...ctx.settings.surroundings.signInServices, ...stored].some((other) => other.id === id);
  // The name of SCIM among identities.
  if (isTaken || id === scimIdentity)
    throw invalid('sign_in_service.id_taken', 'There is a sign-in service with this id already.', 'id');
}

function requireConsole(ctx: Ctx, id: string): void {
  if (ctx.settings.surroundings.signInServices.some((service) => service.id === id))
    throw new Problem(
      'conflict',
      'sign_in_service.from_environment',
      'This sign-in service comes from the environment. Change it there.',
    );
}

function readId({ id, fields }: ServiceInput, kind: ServiceKind): string {
  const wanted = id ?? slugOf(fields.name ?? kind);
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(wanted))
    throw invalid('sign_in_service.bad_id', 'An id has at most 40 letters, digits and hyphens.', 'id');
  return wanted;
}

const sentences: Record<ServiceFault['fault'], string> = {
  missing: 'Fill in this field.',
  bad_choice: 'Choose one of the offered values.',
  bad_ldap_url: 'The address begins with ldaps:// or ldap+starttls:// (ldap:// only for this machine).',
  bad_interval: 'Enter an interval from 10s to 1d, such as 15m.',
  bad_url: 'Enter an address that begins with https://.',
  bad_date: 'Enter a day such as 2027-06-30.',
};

/** A saved secret is never sent to another address than the one it was entered for. */
async function readValues(
  db: Query,
  kind: ServiceKind,
  before: ServiceValues,
  { fields }: ServiceInput,
): Promise<ServiceValues> {
  const known = fieldsOf(kind);
  const unknown = Object.keys(fields).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined)
    throw invalid('sign_in_service.unknown_field', `${unknown} is no field of this kind.`, unknown).withValues({
      name: unknown,
    });
  const values = { ...before, ...fields };
  const isMoved = ['issuer', 'url', 'metadata_url'].some(
    (name) => before[name] !== undefined && values[name] !== before[name],
  );
  if (isMoved)
    for (const [name, field] of Object.entries(known))
      if (field.isSecret === true && fields[name] === undefined) delete values[name];
  const { faults } = readService(kind, 'any', values);
  const [first] = faults;
  const flaw = first?.fault ?? 'missing';
  if (first !== undefined) throw invalid(`sign_in_service.${flaw}`, sentences[flaw], first.field);
  const group = values.default_group ?? '';
  if (group !== '' && (await findGroup(db, group)) === undefined)
    throw invalid('user.unknown_group', 'There is no such group.', 'default_group');
  return values;
}

function save(ctx: Ctx, tx: Tx, service: SignInService, values: ServiceValues): Promise<void> {
  const isSecret = (name: string) => fieldsOf(service.kind)[name]?.isSecret === true;
  const part = (wanted: boolean) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => isSecret(name) === wanted));
  return saveService(tx, { service, settings: part(false), secrets: part(true), now: ctx.clock.now() });
}

/** Secrets appear without their values. */
function changesBetween(kind: ServiceKind, before: ServiceValues, after: ServiceValues): Changes {
  const changes: Changes = {};
  for (const [name, field] of Object.entries(fieldsOf(kind))) {
    const [from, to] = [before[name] ?? '', after[name] ?? ''];
    const shown = (value: string) => (field.isSecret === true && value !== '' ? '•••' : value.slice(0, 500));
    if (from !== to) changes[name] = { from: shown(from), to: shown(to) };
  }
  return changes;
}
