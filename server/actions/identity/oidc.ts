// Sign-in through OpenID Connect: what is requested, and what the claims mean.
import type { Caller } from '../../domain/caller.ts';
import { type Answered, type Claims, claimedAddress, type SignInService } from '../../domain/sign-in-service-fields.ts';
import { beginOidc, finishOidc, type OidcChecks, type OidcClient, OidcFailure } from '../../lib/oidc.ts';
import type { Ctx } from '../context.ts';
import { noteRefusal } from './attempts.ts';
import { signInRefusal } from './refusals.ts';

function oidcClientOf(ctx: Ctx, { id, settings, secrets }: SignInService): OidcClient {
  return {
    issuer: settings.issuer!,
    clientId: settings.client_id!,
    clientSecret: secrets.client_secret ?? '',
    clientAuth: settings.client_auth as OidcClient['clientAuth'],
    scopes: settings.scopes!,
    acrValues: settings.acr_values!,
    ca: settings.ca!,
    redirectUri: `${ctx.settings.surroundings.baseUrl}/sign-in/oidc/${id}/callback`,
  };
}

/** Throws an OidcFailure. */
export function oidcStart(ctx: Ctx, service: SignInService): Promise<{ url: string; checks: OidcChecks }> {
  return beginOidc(oidcClientOf(ctx, service));
}

export function beginOidcSignIn(ctx: Ctx, caller: Caller, service: SignInService) {
  return oidcStart(ctx, service).catch((error: unknown) => failed(ctx, caller, service, error));
}

interface OidcAnswer {
  service: SignInService;
  checks: OidcChecks;
  query: string;
}

/** Checks the response of the provider. Throws an OidcFailure. */
export async function readOidcAnswer(ctx: Ctx, { service, checks, query }: OidcAnswer): Promise<Answered> {
  const { settings } = service;
  const wanted = [settings.email_claim!, settings.groups_claim!];
  const raw = await finishOidc(oidcClientOf(ctx, service), checks, query, wanted);
  return { claims: readOidcClaims(service, raw), raw };
}

/** Throws a refusal that is recorded. */
export function finishOidcSignIn(ctx: Ctx, caller: Caller, answer: OidcAnswer): Promise<Answered> {
  return readOidcAnswer(ctx, answer).catch((error: unknown) => failed(ctx, caller, answer.service, error));
}

async function failed(ctx: Ctx, caller: Caller, service: SignInService, error: unknown): Promise<never> {
  if (!(error instanceof OidcFailure)) throw error;
  const { step } = error;
  ctx.log.warn({ service: service.id, step, words: error.message }, 'a sign-in service did not complete a sign-in');
  const problem = signInRefusal(
    step === 'discovery' ? 'unreachable' : step === 'refused' ? 'denied' : 'bad_answer',
    service,
  );
  await noteRefusal(ctx, caller, { service, claims: { error: error.message }, reason: problem.code });
  throw problem;
}

export function readOidcClaims(service: SignInService, raw: Record<string, unknown>): Claims {
  const { settings } = service;
  const subject = raw[settings.subject_claim === '' ? 'sub' : settings.subject_claim!];
  const name = raw[settings.name_claim!];
  return {
    subject: typeof subject === 'string' ? subject : '',
    address: claimedAddress(raw[settings.email_claim!]),
    isAddressVerified: isVerified(service, raw.email_verified),
    name: typeof name === 'string' ? name : '',
    groups: groupsIn(raw, settings.groups_claim!),
    hasGroupsOverage: hasOverage(raw, settings.groups_claim!),
    hasSecondStep: hasSecondStep(raw, settings.acr_values!),
  };
}

/** Some providers send the text "true". An absent claim counts as false. */
function isVerified({ addressesVerified }: SignInService, claim: unknown): boolean {
  return addressesVerified === 'claim' ? claim === true || claim === 'true' : addressesVerified === 'true';
}

function groupsIn(raw: Record<string, unknown>, name: string): string[] | null {
  const value = raw[name];
  if (name === '' || value === undefined || value === null || hasOverage(raw, name)) return null;
  const list = Array.isArray(value) ? value : [value];
  return list.filter((group): group is string => typeof group === 'string' && group !== '');
}

/** Entra leaves the groups out above 200 and says so. */
function hasOverage(raw: Record<string, unknown>, name: string): boolean {
  const names = raw._claim_names;
  const isNamed = typeof names === 'object' && names !== null && Object.hasOwn(names, name);
  return isNamed || raw.hasgroups === true || raw.hasgroups === 'true';
}

const secondSteps = ['mfa', 'otp', 'hwk', 'swk', 'fpt', 'sc', 'ngcmfa'];

function hasSecondStep(raw: Record<string, unknown>, acrValues: string): boolean {
  if (acrValues !== '') return typeof raw.acr === 'string' && acrValues.split(/\s+/).includes(raw.acr);
  return Array.isArray(raw.amr) && raw.amr.some((method) => secondSteps.includes(String(method)));
}
