// Visits of a link: what the visitor has proven, by cookies or in the request of a program.
import { acceptedAtLink, type LinkVisit, visitFileLink } from '../../actions/file-links/file-links.ts';
import { checkLinkPass } from '../../actions/file-links/passwords.ts';
import { identify, type Visitor } from '../../actions/sessions/identities.ts';
import { isId } from '../../lib/ids.ts';
import type { HttpDeps } from '../deps.ts';
import { addressOf } from '../identity/origins.ts';
import { visitorOfPage } from '../identity/visits.ts';
import type { Exchange } from '../transport/router.ts';
import { readCookie } from './forms.ts';

/** A visit, with the address that the visitor has proven. */
export type PageVisit = LinkVisit & {
  address: string | null;
  accountId: string | null;
  isOwner: boolean;
  passwordVersion: number;
  proofs: Visitor['proofs'];
};

/** Proofs of a program, which has no cookies. */
export interface ProgramProofs {
  pass: string | undefined;
  proof: string | undefined;
}

export async function visitOf(
  deps: HttpDeps,
  { raw, params }: Exchange,
  proofs: ProgramProofs | null = null,
): Promise<PageVisit | null> {
  const id = params.id!;
  if (!isId(id)) return null;
  const pass = proofs === null ? readCookie(deps, raw, passCookie(id)) : proofs.pass;
  const { isValid: passwordPassed, passwordVersion } = await checkLinkPass(deps.ctx, id, pass);
  const visitor =
    proofs === null
      ? await visitorOfPage(deps, raw)
      : await identify(deps.ctx, { session: undefined, proof: proofs.proof, address: addressOf(deps, raw) });
  const identity = await acceptedAtLink(deps.ctx, id, visitor.identity);
  const own = identity.account?.address ?? null;
  const address = own ?? identity.provenAddresses[0] ?? null;
  const visit = await visitFileLink(deps.ctx, id, { passwordPassed, address, isOwner: false });
  const userId = visitor.user?.id ?? null;
  // A ticket belongs to the account only if issued to the account's own address.
  const accountId = own === null ? null : userId;
  if (visit === null) return null;
  return {
    ...visit,
    address,
    accountId,
    passwordVersion,
    proofs: visitor.proofs,
    isOwner: userId === visit.link.ownerId,
  };
}

/** One per link, so that two open links do not replace each other. */
export function passCookie(linkId: string): string {
  return `link-${linkId.slice(0, 12)}`;
}
