// Tokens of SCIM clients: one from the environment, others created in the console. Only hashes are stored.
import {
  deleteScimToken,
  findScimToken,
  insertScimToken,
  listScimTokens,
  noteScimTokenUse,
  type ScimToken,
} from '../../db/scim/scim-tokens.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid, notFound } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import { sameText } from '../../lib/keyring.ts';
import type { Ctx } from '../context.ts';
import { listAllServices } from '../identity/service-list.ts';
import { changeSettings } from '../settings.ts';
import { isStopped } from './brake.ts';
import { recordScim } from './scim-identity.ts';

const maxTokens = 10;
const useIntervalMs = 60_000;

/** False for a wrong token. */
export async function isScimToken(ctx: Ctx, token: string): Promise<boolean> {
  const fixed = ctx.settings.surroundings.scim.token?.reveal();
  if (fixed !== undefined && sameText(token, fixed)) return true;
  const found = await findScimToken(ctx.db.read, ctx.keys.hash('scim-token', token));
  if (found === undefined) return false;
  const now = ctx.clock.now();
  if ((found.lastUsedAt ?? 0) + useIntervalMs < now) await ctx.db.write((tx) => noteScimTokenUse(tx, found.id, now));
  return true;
}

export interface ScimState {
  /** Id of the sign-in service it belongs to. */
  service: string | null;
  serviceSource: 'environment' | 'console';
  hasEnvironmentToken: boolean;
  isStopped: boolean;
  tokens: Omit<ScimToken, 'tokenHash'>[];
}

export async function getScim(ctx: Ctx, caller: UserCaller): Promise<ScimState> {
  requireRight(caller, 'system.read');
  const fixed = ctx.settings.surroundings.scim;
  return {
    service: fixed.service ?? ctx.settings.current().scimService,
    serviceSource: fixed.service === null ? 'console' : 'environment',
    hasEnvironmentToken: fixed.token !== null,
    isStopped: await isStopped(ctx),
    tokens: await listScimTokens(ctx.db.read),
  };
}

export async function changeScimService(ctx: Ctx, caller: UserCaller, service: string | null): Promise<ScimState> {
  requireRight(caller, 'system.change');
  if (ctx.settings.surroundings.scim.service !== null)
    throw invalid(
      'scim.from_environment',
      'The service of SCIM comes from the environment (WAYBILL_SCIM_SERVICE). Change it there.',
      'service',
    );
  if (service !== null && (await listAllServices(ctx)).every(({ id }) => id !== service))
    throw invalid('scim.unknown_service', 'There is no such sign-in service.', 'service');
  await changeSettings(ctx, async (tx, settings) => {
    await recordScim(ctx, tx, caller, { change: 'service', name: service ?? '' });
    return { ...settings, scimService: service };
  });
  return getScim(ctx, caller);
}

/** The token is returned once. */
export async function createScimToken(
  ctx: Ctx,
  caller: UserCaller,
  input: { name: string },
): Promise<Omit<ScimToken, 'tokenHash'> & { token: string }> {
  requireRight(caller, 'system.change');
  const name = input.name.trim().normalize('NFC');
  if (name === '' || name.length > 100) throw invalid('scim.bad_token_name', 'A name has 1 to 100 characters.', 'name');
  const token = `scim_${ctx.random.id(40)}`;
  const tokenHash = ctx.keys.hash('scim-token', token);
  const created = { id: ctx.random.id(), name, createdBy: caller.userId, createdAt: ctx.clock.now(), lastUsedAt: null };
  await ctx.db.write(async (tx) => {
    if ((await listScimTokens(tx)).length >= maxTokens)
      throw invalid('scim.too_many_tokens', `There can be at most ${maxTokens} tokens. Remove one first.`).withValues({
        n: maxTokens,
      });
    await insertScimToken(tx, { ...created, tokenHash });
    await recordScim(ctx, tx, caller, { change: 'token_created', name });
  });
  return { ...created, token };
}

export async function removeScimToken(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  requireRight(caller, 'system.change');
  await ctx.db.write(async (tx) => {
    const found = (await listScimTokens(tx)).find((token) => token.id === id);
    if (found === undefined || !(await deleteScimToken(tx, id)))
      throw notFound('scim token', 'There’s no such SCIM token.');
    await recordScim(ctx, tx, caller, { change: 'token_removed', name: found.name });
  });
}
