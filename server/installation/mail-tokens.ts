// The access tokens of the mail service in the database, which all processes share.
import type { Ctx } from '../actions/context.ts';
import { claimMailToken, findMailToken, releaseMailToken, saveMailToken } from '../db/mail/mail-tokens.ts';
import type { TokenStore } from '../mail/transports/tokens.ts';

const leaseMs = 45_000;

export function openTokenStore({ db, clock }: Pick<Ctx, 'db' | 'clock'>): TokenStore {
  const now = () => clock.now();
  return {
    now,
    find: (id) => findMailToken(db.read, id),
    claim: (id) => db.write((tx) => claimMailToken(tx, id, now(), now() + leaseMs)),
    save: (id, token) => db.write((tx) => saveMailToken(tx, id, token)),
    release: (id) => db.write((tx) => releaseMailToken(tx, id)),
  };
}
