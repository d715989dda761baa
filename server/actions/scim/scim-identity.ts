// The sign-in service that SCIM belongs to, and who SCIM clients are in the log.
import type { Tx } from '../../db/schema/schema.ts';
import type { Caller, SystemCaller } from '../../domain/caller.ts';
import type { SignInService } from '../../domain/sign-in-service-fields.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { listAllServices } from '../identity/service-list.ts';

/** The service of identities by which SCIM itself knows people. */
export const scimIdentity = 'scim';

/** SCIM clients act as the system, from their address. */
export type ScimCaller = SystemCaller;

export interface ScimService {
  /** Null: people are linked at their first sign-in, after proof. */
  service: SignInService | null;
  subject: 'external_id' | 'user_name';
}

/** As configured, or the only service. */
export async function findScimService(ctx: Ctx): Promise<ScimService> {
  const services = await listAllServices(ctx);
  const wanted = ctx.settings.surroundings.scim.service ?? ctx.settings.current().scimService;
  const only = services.length === 1 ? services[0]! : null;
  const service = wanted === null ? only : (services.find(({ id }) => id === wanted) ?? null);
  return { service, subject: service?.settings.scim_subject === 'user_name' ? 'user_name' : 'external_id' };
}

export async function recordScim(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  facts: { change: string; name: string; reason?: string },
): Promise<void> {
  await record(ctx, tx, caller, {
    action: 'scim.changed',
    object: { kind: 'sign_in_service', id: scimIdentity },
    ownerId: '',
    facts,
  });
}

/** For the log: what a client was refused, and why. */
export async function noteScimRefusal(ctx: Ctx, caller: ScimCaller, error: Error): Promise<void> {
  await ctx.db.write((tx) => recordScim(ctx, tx, caller, { change: 'refused', name: '', reason: error.message }));
}
