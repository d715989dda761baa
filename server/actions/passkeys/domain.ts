// The domain of all passkeys (the relying-party id) is fixed at set-up, from the public address.
import { countPasskeyHolders } from '../../db/passkeys/passkeys.ts';
import type { LockedDb } from '../../db/schema/schema.ts';
import { isInDomain, type LostPasskeys } from '../../domain/passkeys.ts';
import type { Settings } from '../../domain/settings.ts';
import type { Ctx } from '../context.ts';
import { changeSettings } from '../settings.ts';
import { hostOf } from './challenges.ts';

/** Until the first passkey is created it follows the public address. */
export async function fixPasskeyDomain(ctx: Ctx): Promise<void> {
  const host = hostOf(ctx);
  const isRight = ({ passkeyDomain }: Settings) => passkeyDomain !== null && isInDomain(host, passkeyDomain);
  if (isRight(ctx.settings.current())) return;
  await changeSettings(ctx, async (tx, settings) => {
    const { people, addresses } = await countPasskeyHolders(tx);
    const isFree = settings.passkeyDomain === null || people + addresses === 0;
    return isRight(settings) || !isFree ? settings : { ...settings, passkeyDomain: host };
  });
}

/** Passkeys that do not work at the public address; null if all do. */
export async function findLostPasskeys(
  db: LockedDb['read'],
  host: string,
  { passkeyDomain: domain }: Pick<Settings, 'passkeyDomain'>,
): Promise<LostPasskeys | null> {
  if (domain === null || isInDomain(host, domain)) return null;
  const { people, addresses } = await countPasskeyHolders(db);
  return people + addresses === 0 ? null : { domain, host, people, addresses };
}
