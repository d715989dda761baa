// Who may open a message: the five levels, exactly (security D10). Pure tables and comparisons; evaluated with current
// data at every request for bytes.

/** `authorization` on the wire is the index. */
export const audiences = [
  'anyone',
  'anyoneSignedIn',
  'recipientsAndLocal',
  'recipientsOnly',
  'recipientsAndDomains',
] as const;
export type Audience = (typeof audiences)[number];

export const audienceDescriptions: Record<Audience, string> = {
  anyone: 'Anyone (with access to the randomized link) can access',
  anyoneSignedIn: 'Anyone can access after authentication',
  recipientsAndLocal: 'Specified Recipients and local users can access',
  recipientsOnly: 'Only Specified Recipients can access',
  recipientsAndDomains: 'Specified Recipients and Recipient Domains can access',
};

/** Who stands at the door. Addresses are canonical. */
export interface Identity {
  /** Proven in this browser by a mailed code. */
  provenAddresses: readonly string[];
  /** Signed in to an active account. */
  account: { address: string; recipientAliases: readonly string[]; isLocal: boolean } | null;
}

export interface Door {
  audience: Audience;
  /** To, Cc and Bcc of those not revoked. */
  recipients: readonly string[];
  /** Turned away by the sender one by one, whatever the level says. */
  revoked: readonly string[];
}

export function doorOf(audience: Audience, recipients: readonly { address: string; state: string }[]): Door {
  const withState = (state: string) => recipients.filter((one) => one.state === state).map((one) => one.address);
  return { audience, recipients: withState('active'), revoked: withState('revoked') };
}

export type Admission =
  /** `identity` is whose counter it is: '' at level 0. `address` is for the log, empty when unknown. */
  | { verdict: 'allow'; identity: string; address: string }
  | { verdict: 'needs_proof' }
  | { verdict: 'not_allowed'; address: string };

/** The table of D10. With several proven addresses the first that fits is the one that counts. */
export function admit(door: Door, identity: Identity, publicDomains: ReadonlySet<string>): Admission {
  const shown = [
    ...(identity.account === null ? [] : [identity.account.address, ...identity.account.recipientAliases]),
    ...identity.provenAddresses,
  ];
  const known = shown.filter((address) => !door.revoked.includes(address));
  if (known.length === 0 && shown.length > 0) return { verdict: 'not_allowed', address: shown[0]! };
  if (door.audience === 'anyone') return { verdict: 'allow', identity: '', address: known[0] ?? '' };
  if (known.length === 0) return { verdict: 'needs_proof' };
  const recipient = known.find((address) => door.recipients.includes(address));
  const allow = (address: string): Admission => ({ verdict: 'allow', identity: address, address });
  if (recipient !== undefined) return allow(recipient);
  if (door.audience === 'anyoneSignedIn') return allow(known[0]!);
  if (
    door.audience === 'recipientsAndLocal' &&
    identity.account?.isLocal === true &&
    known.includes(identity.account.address)
  )
    return allow(identity.account.address);
  if (door.audience === 'recipientsAndDomains') {
    const domains = new Set(door.recipients.map(domainOf).filter((domain) => !publicDomains.has(domain)));
    const colleague = known.find((address) => domains.has(domainOf(address)));
    if (colleague !== undefined) return allow(colleague);
  }
  return { verdict: 'not_allowed', address: known[0]! };
}

/** Could this address open the message if it were proven? Decides whether a code is mailed; nobody is told. */
export function mayBeProven(
  door: Door,
  address: string,
  publicDomains: ReadonlySet<string>,
  isLocalAccount: boolean,
): boolean {
  const identity: Identity = isLocalAccount
    ? { provenAddresses: [], account: { address, recipientAliases: [], isLocal: true } }
    : { provenAddresses: [address], account: null };
  return admit(door, identity, publicDomains).verdict === 'allow';
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}
