import type { AddressStep, ConfirmAddressPage } from '#web/pages/props.ts';
import type { CodeTarget } from '../../actions/codes/code-targets.ts';
import { visitFileLink } from '../../actions/file-links/file-links.ts';
import { findFiledrop } from '../../actions/filedrops/filedrops.ts';
import { findMessageAccess } from '../../actions/messages/access.ts';
import { findPasskeyOffer } from '../../actions/passkeys/recipient-passkeys.ts';
import type { HttpDeps } from '../deps.ts';
import { basePath } from '../transport/urls.ts';

/** An address known without typing, and the form field that stands for it. */
export interface KnownAddress {
  address: string;
  hidden: Record<string, string>;
}

export function addressStep(
  deps: HttpDeps,
  target: string,
  more: Partial<Pick<AddressStep, 'address' | 'problem' | 'notice'>> & { known?: KnownAddress | null } = {},
): AddressStep {
  const { known = null, address = '', problem = null, notice = null } = more;
  return {
    is: 'address',
    form: { action: `${basePath(deps)}/verify/address`, hidden: { target, ...known?.hidden } },
    knownAddress: known === null ? null : maskAddress(known.address),
    otherAddressUrl: known === null ? null : otherAddressUrl(deps, target),
    address,
    problem,
    notice,
  };
}

export function otherAddressUrl(deps: HttpDeps, target: string): string {
  return `${basePath(deps)}/verify/other?target=${encodeURIComponent(target)}`;
}

/** A passkey instead of a code; `problem` is a sentence. */
export async function passkeyOffer(
  deps: HttpDeps,
  target: CodeTarget,
  problem: string | null = null,
): Promise<ConfirmAddressPage['passkey']> {
  const offer = await findPasskeyOffer(deps.ctx, target);
  if (offer === null) return null;
  const action = `${basePath(deps)}/verify/passkey`;
  return {
    form: { action, hidden: { target } },
    passkey: { formAction: action, options: { ...offer.options } },
    isRequired: offer.isRequired,
    problem,
  };
}

/** Null if there is nothing to confirm for the target. */
export async function confirmPage(
  deps: HttpDeps,
  target: CodeTarget,
  step: ConfirmAddressPage['step'],
  problem: string | null = null,
): Promise<ConfirmAddressPage | null> {
  const facts = await factsOf(deps, target);
  if (facts === null) return null;
  const signInUrl =
    facts.purpose === 'deliver' ? null : `${basePath(deps)}/sign-in?to=${encodeURIComponent(pathOf(target))}`;
  return { kind: 'confirm-address', ...facts, signInUrl, step, passkey: await passkeyOffer(deps, target, problem) };
}

async function factsOf(
  deps: HttpDeps,
  target: CodeTarget,
): Promise<Pick<ConfirmAddressPage, 'purpose' | 'audience' | 'sharedBy' | 'fileCount' | 'subject'> | null> {
  const id = target.slice(target.indexOf(':') + 1);
  if (target.startsWith('message:')) {
    const visit = await findMessageAccess(deps.ctx, id, { provenAddresses: [], account: null }, null);
    if (visit === null || visit.gate !== 'needs_proof') return null;
    const { message } = visit;
    const name = message.senderName === '' ? message.sender : message.senderName;
    return {
      purpose: 'open',
      audience: message.effectiveAudience,
      sharedBy: { name, address: message.sender },
      fileCount: message.files.length,
      subject: message.isPrivate ? null : message.subject,
    };
  }
  if (target.startsWith('link:')) {
    const visit = await visitFileLink(deps.ctx, id, { passwordPassed: false, address: null, isOwner: false });
    if (visit === null || visit.gate !== 'needs_sign_in') return null;
    const name = visit.owner.name === '' ? visit.owner.email : visit.owner.name;
    const sharedBy = { name, address: visit.owner.email };
    return { purpose: 'open', audience: 'anyoneSignedIn', sharedBy, fileCount: 1, subject: null };
  }
  const drop = await findFiledrop(deps.ctx, id);
  if (drop === null) return null;
  const sharedBy = { name: drop.label, address: null };
  return { purpose: 'deliver', audience: null, sharedBy, fileCount: 0, subject: null };
}

/** The path of the target's page, below the base path. */
export function pathOf(target: CodeTarget): string {
  const [kind, id] = target.split(/:(.*)/s) as [string, string];
  return kind === 'drop' ? `/filedrop/${encodeURIComponent(id)}` : `/${kind}/${id}`;
}

export function readTarget(text: string | null): CodeTarget | null {
  if (text === null) return null;
  return /^(message|link):[A-Za-z0-9]{22}$/.test(text) || /^drop:[^\s\0]{1,320}$/.test(text)
    ? (text as CodeTarget)
    : null;
}

/** `b•••@harbour.example`: enough to recognise one's own address. */
export function maskAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return at < 1 ? '' : `${address.slice(0, 1)}•••${address.slice(at)}`;
}
