// The sign-in services in force: those of the environment first, then those of the console.
import { type DirectorySync, listDirectorySyncs } from '../../db/identity/directory-syncs.ts';
import { findStoredService, listStoredServices } from '../../db/identity/service-rows.ts';
import type { ServiceKind, SignInService } from '../../domain/sign-in-service-fields.ts';
import type { Ctx } from '../context.ts';

/** Also those that are switched off. A service of the environment replaces one of the console with the same id. */
export async function listAllServices(ctx: Ctx): Promise<SignInService[]> {
  const fixed = ctx.settings.surroundings.signInServices;
  const stored = (await listStoredServices(ctx.db.read)).map(({ service }) => service);
  return [...fixed, ...stored.filter(({ id }) => fixed.every((other) => other.id !== id))];
}

/** Services that people can use now. */
export async function listServices(ctx: Ctx, kind?: ServiceKind): Promise<SignInService[]> {
  const all = await listAllServices(ctx);
  return all.filter((service) => service.isEnabled && (kind === undefined || service.kind === kind));
}

/** Undefined for an unknown service and, unless asked for, one that is switched off. */
export async function findService(
  ctx: Ctx,
  kind: ServiceKind,
  id: string,
  { isAlsoOff = false }: { isAlsoOff?: boolean } = {},
): Promise<SignInService | undefined> {
  const fixed = ctx.settings.surroundings.signInServices.find((service) => service.id === id);
  const service = fixed ?? (await findStoredService(ctx.db.read, id))?.service;
  return service?.kind === kind && (service.isEnabled || isAlsoOff) ? service : undefined;
}

/** The last comparison of each directory, by service. */
export async function listSyncs(ctx: Ctx): Promise<Map<string, DirectorySync>> {
  const syncs = await listDirectorySyncs(ctx.db.read);
  return new Map(syncs.map(({ service, ...sync }) => [service, sync]));
}
