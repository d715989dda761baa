// Visitors of recipient pages: the cookies that say who they are, and the forms that change it (security D3, D4).
import type { IncomingMessage } from 'node:http';
import { type BrowserTokens, identify, type Owing, type Visitor } from '../../actions/sessions/identities.ts';
import { csrfToken } from '../../actions/sessions/sessions.ts';
import { sameText } from '../../lib/keyring.ts';
import { mask, unmask } from '../../lib/masking.ts';
import type { HttpDeps } from '../deps.ts';
import { foreignForm, readCookie } from '../pages/forms.ts';
import { knowLanguage } from '../transport/languages.ts';
import { addressOf } from './origins.ts';

export const sessionCookie = 'sid';
export const proofCookie = 'rcpt';
export const nonceCookie = 'nonce';
/** What a browser is known by between two presses on Download; says nothing of who uses it. */
export const visitorCookie = 'visitor';

export const secondFactorPath = '/second-factor';
export const newPasswordPath = '/new-password';

/** Where a signed-in person does what must be done first. */
export function pathOfOwing({ is }: Pick<Owing, 'is'>): string {
  return is === 'password' ? newPasswordPath : secondFactorPath;
}

export interface PageVisitor extends Visitor {
  tokens: BrowserTokens;
  /** For forms of signed-in people, masked; absent for others. */
  csrf: string | undefined;
}

export async function visitorOfPage(deps: HttpDeps, raw: IncomingMessage): Promise<PageVisitor> {
  const tokens: BrowserTokens = {
    session: readToken(deps, raw, sessionCookie),
    proof: readToken(deps, raw, proofCookie),
    address: addressOf(deps, raw),
  };
  const visitor = await identify(deps.ctx, tokens);
  knowLanguage(raw, (visitor.user ?? visitor.owing?.user)?.language ?? null);
  const isSignedIn = visitor.user !== null || visitor.owing !== null;
  return { ...visitor, tokens, csrf: isSignedIn ? mask(csrfToken(deps.ctx, tokens.session!)) : undefined };
}

/** A well-formed cookie; anything else counts as none. */
export function readToken(deps: Pick<HttpDeps, 'baseUrl'>, raw: IncomingMessage, name: string): string | undefined {
  const value = readCookie(deps, raw, name);
  return value !== undefined && /^[A-Za-z0-9]{22,44}$/.test(value) ? value : undefined;
}

/** A signed-in person's form must carry the token of their session. */
export function requireCsrf(deps: HttpDeps, visitor: PageVisitor, given: string | null): void {
  if (visitor.tokens.session === undefined || visitor.csrf === undefined) return;
  if (given === null || !sameText(unmask(given), csrfToken(deps.ctx, visitor.tokens.session))) throw foreignForm();
}

/** The token that a form of this browser's session carries; none for people who are not signed in. */
export function csrfOf(deps: Pick<HttpDeps, 'ctx' | 'baseUrl'>, raw: IncomingMessage): string | undefined {
  const token = readToken(deps, raw, sessionCookie);
  return token === undefined ? undefined : mask(csrfToken(deps.ctx, token));
}
