// Who may open a message, evaluated at every request for bytes. The granting SQL statement uses the same table
// (db/downloads/tickets.ts).
import { type Audience, audiences } from '#contract/audiences.ts';
import type { Policy } from './policy.ts';
import { publicDomains } from './public-domains.ts';

export function levelOf(audience: Audience): number {
  return audiences.indexOf(audience);
}

export function audienceAt(level: number): Audience {
  const audience = audiences[level];
  if (audience === undefined) throw new RangeError(`there is no audience ${level}`);
  return audience;
}

/** Besides recipients, who are admitted unless revoked. */
export type VisitorKind =
  | 'unknown'
  | 'proven'
  | 'local'
  /** A recipient's domain, unless it is a public provider's. */
  | 'colleague';

const admitted: Record<Audience, readonly VisitorKind[]> = {
  anyone: ['unknown', 'proven', 'local', 'colleague'],
  anyoneSignedIn: ['proven', 'local', 'colleague'],
  recipientsAndLocal: ['local'],
  recipientsOnly: [],
  recipientsAndDomains: ['colleague'],
};

export function admittedVisitors(audience: Audience, stranger: VisitorKind): boolean {
  return admitted[audience].includes(stranger);
}

/** Addresses are canonical. */
export interface Identity {
  /** Proven in this browser by a mailed code or a passkey. */
  provenAddresses: readonly string[];
  /** Those proven by a code although they have a passkey. */
  codeOnly?: readonly string[];
  /** `address` is null if its own is unproven. */
  account: { address: string | null; recipientAliases: readonly string[]; isLocal: boolean } | null;
}

/** What the group of a transfer's owner accepts (docs/adr/0135). */
export function acceptedIdentity(identity: Identity, policy: Pick<Policy, 'recipient_passkey'> | undefined): Identity {
  const { codeOnly = [] } = identity;
  if (codeOnly.length === 0 || policy?.recipient_passkey !== 'required_once_enrolled') return identity;
  return { ...identity, provenAddresses: identity.provenAddresses.filter((address) => !codeOnly.includes(address)) };
}

export interface AccessList {
  audience: Audience;
  recipients: readonly string[];
  /** By the sender, at every level. */
  revoked: readonly string[];
}

export function accessListOf(
  audience: Audience,
  recipients: readonly { address: string; state: string }[],
): AccessList {
  const withState = (state: string) => recipients.filter((one) => one.state === state).map((one) => one.address);
  return { audience, recipients: withState('active'), revoked: withState('revoked') };
}

export type Admission =
  /** `identity` names the counter: '' at level 0. `address` is for the log. */
  | { verdict: 'allow'; identity: string; address: string }
  | { verdict: 'needs_proof' }
  | { verdict: 'not_allowed'; address: string };

/** The first matching proven address counts. */
export function admit(accessList: AccessList, identity: Identity): Admission {
  const { account } = identity;
  const accountAddresses = account === null ? [] : addressesOf(account);
  const shown = [...accountAddresses, ...identity.provenAddresses];
  // If the account address was revoked, no alias of the account lets its owner in.
  const isRevoked = account !== null && account.address !== null && accessList.revoked.includes(account.address);
  const left = isRevoked ? identity.provenAddresses : shown;
  const known = left.filter((address) => !accessList.revoked.includes(address));
  if (known.length === 0 && shown.length > 0) return { verdict: 'not_allowed', address: shown[0]! };
  if (admittedVisitors(accessList.audience, 'unknown'))
    return { verdict: 'allow', identity: '', address: known[0] ?? '' };
  if (known.length === 0) return { verdict: 'needs_proof' };
  const address =
    known.find((candidate) => accessList.recipients.includes(candidate)) ??
    known.find((candidate) => isAdmittedVisitor(accessList, candidate, account));
  return address === undefined
    ? { verdict: 'not_allowed', address: known[0]! }
    : { verdict: 'allow', identity: address, address };
}

function isAdmittedVisitor(
  { audience, recipients }: AccessList,
  address: string,
  account: Identity['account'],
): boolean {
  if (admittedVisitors(audience, 'proven')) return true;
  if (admittedVisitors(audience, 'local') && account?.isLocal === true && address === account.address) return true;
  return admittedVisitors(audience, 'colleague') && widensToDomain(address) && recipients.some(isAtDomainOf(address));
}

/** For texts: colleagues of people at public providers are admitted nowhere. */
export function effectiveAudience(audience: Audience, recipients: readonly string[]): Audience {
  const isWidened = audience !== 'recipientsAndDomains' || recipients.some(widensToDomain);
  return isWidened ? audience : 'recipientsOnly';
}

/** "Everyone at their organisation" must not become everyone at a webmail provider. */
export function widensToDomain(address: string): boolean {
  return !publicDomains.has(domainOf(address));
}

function isAtDomainOf(address: string): (recipient: string) => boolean {
  return (recipient) => domainOf(recipient) === domainOf(address);
}

/** Its own address first. */
export function addressesOf(account: NonNullable<Identity['account']>): string[] {
  return [...(account.address === null ? [] : [account.address]), ...account.recipientAliases];
}

/** Never shown to visitors. */
export function mayBeProven(accessList: AccessList, address: string): boolean {
  return admit(accessList, { provenAddresses: [address], account: null }).verdict === 'allow';
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}
