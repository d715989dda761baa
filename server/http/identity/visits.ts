import type { IncomingMessage } from 'node:http';
import { type BrowserTokens, identify, type Restricted, type Visitor } from '../../actions/sessions/identities.ts';
import { csrfToken } from '../../actions/sessions/sessions.ts';
import { sameText } from '../../lib/keyring.ts';
import { mask, unmask } from '../../lib/masking.ts';
import type { HttpDeps } from '../deps.ts';
import { foreignForm, readCookie } from '../pages/forms.ts';
import { setLanguage } from '../transport/languages.ts';
import { addressOf } from './origins.ts';

export const sessionCookie = 'sid';
export const proofCookie = 'rcpt';
export const nonceCookie = 'nonce';
/** Identifies a browser between two downloads, not its user. */
export const visitorCookie = 'visitor';

export const secondFactorPath = '/second-factor';
export const passkeyPath = '/passkey';
export const newPasswordPath = '/new-password';

/** The page where a signed-in user does what must be done first. */
export function pathOfStep(step: Restricted['requires']): string {
  const paths = { new_password: newPasswordPath, second_step_setup: secondFactorPath, passkey_setup: passkeyPath };
  return paths[step];
}

export interface PageVisitor extends Visitor {
  tokens: BrowserTokens;
  /** For forms of signed-in users, masked. */
  csrf: string | undefined;
}

export async function visitorOfPage(deps: HttpDeps, raw: IncomingMessage): Promise<PageVisitor> {
  const tokens: BrowserTokens = {
    session: readToken(deps, raw, sessionCookie),
    proof: readToken(deps, raw, proofCookie),
    address: addressOf(deps, raw),
  };
  const visitor = await identify(deps.ctx, tokens);
  setLanguage(raw, (visitor.user ?? visitor.restricted?.user)?.language ?? null);
  const isSignedIn = visitor.user !== null || visitor.restricted !== null;
  return { ...visitor, tokens, csrf: isSignedIn ? mask(csrfToken(deps.ctx, tokens.session!)) : undefined };
}

export function readToken(deps: Pick<HttpDeps, 'baseUrl'>, raw: IncomingMessage, name: string): string | undefined {
  const value = readCookie(deps, raw, name);
  return value !== undefined && /^[A-Za-z0-9]{22,44}$/.test(value) ? value : undefined;
}

/** A signed-in user's form must carry the session's token. */
export function requireCsrf(deps: HttpDeps, visitor: PageVisitor, given: string | null): void {
  if (visitor.tokens.session === undefined || visitor.csrf === undefined) return;
  if (given === null || !sameText(unmask(given), csrfToken(deps.ctx, visitor.tokens.session))) throw foreignForm();
}

/** Undefined for visitors who are not signed in. */
export function csrfOf(deps: Pick<HttpDeps, 'ctx' | 'baseUrl'>, raw: IncomingMessage): string | undefined {
  const token = readToken(deps, raw, sessionCookie);
  return token === undefined ? undefined : mask(csrfToken(deps.ctx, token));
}
