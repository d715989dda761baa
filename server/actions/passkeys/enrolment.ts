// Sets up a passkey, for an account or for an address.
import { insertPasskey, listPasskeys } from '../../db/passkeys/passkeys.ts';
import type { Query, Tx } from '../../db/schema/schema.ts';
import { requireVisible } from '../../domain/names.ts';
import { maxPasskeys, type Passkey, type PasskeyHolder, passkeyProblem } from '../../domain/passkeys.ts';
import { invalid } from '../../domain/problem.ts';
import { challengeIn, credentialParameters, readRegistration, verifyRegistration } from '../../lib/webauthn.ts';
import type { Ctx } from '../context.ts';
import { assertChallenge, expectedOf, newChallenge, passkeyDomain, spendChallenge } from './challenges.ts';

export interface Enrolment {
  holder: PasskeyHolder;
  /** The session, or the browser. */
  session: string;
}

/** `PublicKeyCredentialCreationOptionsJSON`. */
export interface CreationOptions {
  challenge: string;
  rp: { id: string; name: string };
  user: { id: string; name: string; displayName: string };
  pubKeyCredParams: { type: 'public-key'; alg: number }[];
  excludeCredentials: { type: 'public-key'; id: string; transports: string[] }[];
  authenticatorSelection: { residentKey: 'required'; requireResidentKey: true; userVerification: 'required' };
  attestation: 'none';
  timeout: number;
}

const timeoutMs = 5 * 60_000;

export async function enrolmentOptions(
  ctx: Ctx,
  { holder, session }: Enrolment,
  label: { name: string; displayName: string },
): Promise<CreationOptions> {
  const existing = await listPasskeys(ctx.db.read, holder);
  if (existing.length >= maxPasskeys) throw tooMany();
  return {
    challenge: newChallenge(ctx, purposeOf(holder, session)),
    rp: { id: passkeyDomain(ctx), name: ctx.settings.current().organisationName },
    user: { id: handleOf(ctx, holder), ...label },
    pubKeyCredParams: credentialParameters,
    excludeCredentials: existing.map(({ credentialId, transports }) => ({
      type: 'public-key',
      id: credentialId,
      transports: [...transports],
    })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
    timeout: timeoutMs,
  };
}

function tooMany() {
  return invalid('passkey.too_many', 'There can be at most 20 passkeys. Remove one first.');
}

const purposeOf = (holder: PasskeyHolder, session: string) => `add\0${JSON.stringify(holder)}\0${session}`;

/** Reveals neither the account nor the address. */
function handleOf(ctx: Ctx, holder: PasskeyHolder): string {
  return ctx.keys.hash('passkey-challenge', `handle\0${JSON.stringify(holder)}`).toString('base64url');
}

/** Checks the authenticator's answer; `save` runs in the same transaction. */
export async function enrol<Saved>(
  ctx: Ctx,
  { holder, session, credential, name }: Enrolment & { credential: string; name: string },
  save: (tx: Tx, passkey: NewPasskey) => Promise<Saved>,
): Promise<Saved> {
  const given = readRegistration(credential);
  if (given === null) throw passkeyProblem('invalid');
  const challenge = challengeIn(given);
  assertChallenge(ctx, challenge, purposeOf(holder, session));
  const verified = await verifyRegistration(given, expectedOf(ctx, challenge));
  if (verified === null) throw passkeyProblem('invalid');
  const { id: credentialId, ...rest } = verified;
  const id = ctx.random.id();
  const passkey = { ...rest, id, credentialId, holder, name: readPasskeyName(name), createdAt: ctx.clock.now() };
  return ctx.db.write(async (tx) => {
    await spendChallenge(ctx, tx, challenge);
    await assertRoom(tx, holder);
    if (!(await insertPasskey(tx, passkey))) throw passkeyProblem('invalid');
    return save(tx, passkey);
  });
}

export type NewPasskey = Omit<Passkey, 'lastUsedAt' | 'lastUsedAddress'>;

async function assertRoom(tx: Query, holder: PasskeyHolder): Promise<void> {
  if ((await listPasskeys(tx, holder)).length >= maxPasskeys) throw tooMany();
}

export function readPasskeyName(text: string): string {
  const name = text.trim().normalize('NFC');
  if (name === '' || name.length > 100 || /[\u0000-\u001f\u007f]/.test(name))
    throw invalid('passkey.bad_name', 'A name has 1 to 100 characters on one line.', 'name');
  return requireVisible(name, 'name');
}
