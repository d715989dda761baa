// Sign-in through SAML: our key, the metadata of the identity provider, and what an answer says about a person.
import { createHash } from 'node:crypto';
import {
  addSamlKey,
  findSamlState,
  markAssertionUsed,
  type SamlState,
  saveSamlMetadata,
} from '../../db/identity/saml-states.ts';
import type { Caller } from '../../domain/caller.ts';
import {
  type Answered,
  type Claims,
  claimedAddress,
  maxDirectoryGroups,
  type SignInService,
} from '../../domain/sign-in-service-fields.ts';
import type { SamlAnswer } from '../../lib/saml/checks.ts';
import { ownMetadata, readProviderMetadata } from '../../lib/saml/metadata.ts';
import { createOwnKey } from '../../lib/saml/own-certificate.ts';
import { beginSaml, finishSaml, type SamlClient } from '../../lib/saml/saml.ts';
import { SamlFailure } from '../../lib/saml/xml.ts';
import { createServiceFetch } from '../../lib/service-fetch.ts';
import type { Ctx } from '../context.ts';
import { noteRefusal } from './attempts.ts';
import { signInRefusal } from './refusals.ts';

const metadataMs = 3_600_000;
/** Not more often, so that forged answers cause no requests. */
const refreshMs = 60_000;

/** Addresses of Waybill at one service; the one named `saml` has the short ones. */
export function samlPath(id: string, name: 'init' | 'consume' | 'metadata.xml'): string {
  return id === 'saml' ? `/saml/${name}` : `/saml/${id}/${name}`;
}

function addressesOf(ctx: Ctx, { id, settings }: SignInService): { entityId: string; callbackUrl: string } {
  const { baseUrl } = ctx.settings.surroundings;
  const entityId = settings.entity_id || `${baseUrl}${samlPath(id, 'metadata.xml')}`;
  return { entityId, callbackUrl: `${baseUrl}${samlPath(id, 'consume')}` };
}

async function stateOf(ctx: Ctx, { id }: SignInService): Promise<SamlState> {
  const known = await findSamlState(ctx.db.read, id);
  if (known !== undefined) return known;
  const own = await createOwnKey('Waybill');
  return ctx.db.write(async (tx) => {
    await addSamlKey(tx, id, own);
    return (await findSamlState(tx, id))!;
  });
}

/** What the identity provider imports. */
export async function samlMetadataOf(ctx: Ctx, service: SignInService): Promise<string> {
  const { certificate } = await stateOf(ctx, service);
  return ownMetadata({ ...addressesOf(ctx, service), certificate });
}

/** Metadata that was read before stays in use while its address does not answer. */
async function clientOf(ctx: Ctx, service: SignInService, olderThanMs: number): Promise<SamlClient> {
  const { settings } = service;
  const state = await stateOf(ctx, service);
  return {
    ...addressesOf(ctx, service),
    provider: await readProviderMetadata(
      settings.metadata || (await fetchedMetadata(ctx, service, state, olderThanMs)),
    ),
    authnContexts: contextsOf(service),
    wantsPersistentName: settings.subject_attribute === '',
    own: state,
  };
}

async function fetchedMetadata(
  ctx: Ctx,
  { id, settings }: SignInService,
  { fetched }: SamlState,
  olderThanMs: number,
): Promise<string> {
  const url = settings.metadata_url!;
  const known = fetched?.url === url ? fetched : null;
  const now = ctx.clock.now();
  if (known !== null && known.at + olderThanMs > now) return known.metadata;
  try {
    const reply = await createServiceFetch(settings.ca!)(url);
    if (!reply.ok) throw new Error(`the address answers ${reply.status}`);
    const metadata = await reply.text();
    await readProviderMetadata(metadata);
    await ctx.db.write((tx) => saveSamlMetadata(tx, id, { metadata, url, at: now }));
    return metadata;
  } catch (error) {
    const words = `the metadata can't be fetched: ${(error as Error).message}`;
    if (known === null) throw new SamlFailure('metadata', words);
    ctx.log.warn({ service: id, words }, 'a sign-in service uses the metadata that was read before');
    return known.metadata;
  }
}

function contextsOf({ settings }: SignInService): string[] {
  return settings.authn_context!.split(/\s+/).filter((context) => context !== '');
}

/** Throws a SamlFailure. For the test by an administrator too. */
export async function samlStart(ctx: Ctx, service: SignInService): Promise<{ url: string; requestId: string }> {
  const requestId = `_${ctx.random.id(44)}`;
  return { url: await beginSaml(await clientOf(ctx, service, metadataMs), requestId), requestId };
}

export function beginSamlSignIn(ctx: Ctx, caller: Caller, service: SignInService) {
  return samlStart(ctx, service).catch((error: unknown) => failed(ctx, caller, service, error));
}

interface SamlResponse {
  service: SignInService;
  response: string;
  /** Null if this browser asked for nothing. */
  requestId: string | null;
}

/** Throws a SamlFailure. */
export async function readSamlAnswer(ctx: Ctx, answered: SamlResponse): Promise<Answered> {
  const answer = await checked(ctx, answered);
  return { claims: readSamlClaims(answered.service, answer), raw: { NameID: answer.nameId, ...answer.attributes } };
}

/** Throws a refusal that is recorded. */
export function finishSamlSignIn(ctx: Ctx, caller: Caller, answered: SamlResponse): Promise<Answered> {
  return readSamlAnswer(ctx, answered).catch((error: unknown) => failed(ctx, caller, answered.service, error));
}

async function checked(ctx: Ctx, { service, response, requestId }: SamlResponse): Promise<SamlAnswer> {
  if (requestId === null && service.settings.idp_initiated !== 'on')
    throw new SamlFailure('not_requested', 'this browser asked for no sign-in, or too long ago');
  const finish = async (olderThanMs: number) =>
    finishSaml(await clientOf(ctx, service, olderThanMs), response, requestId);
  const answer = await finish(metadataMs).catch((error: unknown) => {
    // The certificate may have been replaced since the metadata was read.
    const isStale = error instanceof SamlFailure && error.step === 'signature' && service.settings.metadata === '';
    if (!isStale) throw error;
    return finish(refreshMs);
  });
  const hash = createHash('sha256')
    .update(JSON.stringify([service.id, answer.assertionId]))
    .digest();
  if (!(await ctx.db.write((tx) => markAssertionUsed(tx, hash, answer.endsAt))))
    throw new SamlFailure('answer', 'the assertion was used before');
  return answer;
}

const refusalOf = {
  metadata: 'unreachable',
  refused: 'denied',
  answer: 'bad_answer',
  signature: 'bad_answer',
  not_requested: 'expired',
} as const;

async function failed(ctx: Ctx, caller: Caller, service: SignInService, error: unknown): Promise<never> {
  if (!(error instanceof SamlFailure)) throw error;
  const { step, message } = error;
  ctx.log.warn({ service: service.id, step, words: message }, 'a sign-in service did not complete a sign-in');
  const problem = signInRefusal(refusalOf[step], service);
  await noteRefusal(ctx, caller, { service, claims: { error: message }, reason: problem.code });
  throw problem;
}

const ms = 'http://schemas.microsoft.com/ws/2008/06/identity/claims';
const soap = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';
const usual = {
  email_attribute: ['email', 'mail', 'emailAddress', 'urn:oid:0.9.2342.19200300.100.1.3', `${soap}/emailaddress`],
  name_attribute: ['displayName', 'name', 'cn', 'urn:oid:2.16.840.1.113730.3.1.241', `${soap}/name`],
  groups_attribute: ['groups', 'memberOf', 'isMemberOf', `${ms}/groups`, 'http://schemas.xmlsoap.org/claims/Group'],
} as const;

const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
const overage = 'http://schemas.microsoft.com/claims/groups.link';
const secondSteps = [
  'https://refeds.org/profile/mfa',
  'http://schemas.microsoft.com/claims/multipleauthn',
  'urn:oasis:names:tc:SAML:2.0:ac:classes:MobileTwoFactorContract',
  'urn:oasis:names:tc:SAML:2.0:ac:classes:TimeSyncToken',
  'urn:oasis:names:tc:SAML:2.0:ac:classes:SmartcardPKI',
];

export function readSamlClaims(service: SignInService, answer: SamlAnswer): Claims {
  const { attributes } = answer;
  const valuesOf = (field: keyof typeof usual): string[] | undefined => {
    const wanted = service.settings[field] ?? '';
    const name = (wanted === '' ? usual[field] : [wanted]).find((one) => Object.hasOwn(attributes, one));
    return name === undefined ? undefined : attributes[name];
  };
  const wantedContexts = contextsOf(service);
  const groups = Object.hasOwn(attributes, overage) ? undefined : valuesOf('groups_attribute');
  return {
    subject: subjectOf(service.settings.subject_attribute!, answer),
    address: claimedAddress(valuesOf('email_attribute')?.[0]),
    isAddressVerified: service.addressesVerified === 'true',
    name: valuesOf('name_attribute')?.[0] ?? '',
    groups: groups === undefined ? null : groups.filter((name) => name !== '').slice(0, maxDirectoryGroups),
    hasGroupsOverage: Object.hasOwn(attributes, overage),
    hasSecondStep: answer.authnContexts.some((context) =>
      (wantedContexts.length === 0 ? secondSteps : wantedContexts).includes(context),
    ),
  };
}

/** A transient name is another one at each sign-in; others than persistent ones are accepted where the operator says so. */
function subjectOf(wanted: string, { nameId, nameIdFormat, attributes }: SamlAnswer): string {
  if (wanted === 'NameID') return nameIdFormat === transient ? '' : nameId;
  if (wanted !== '') return Object.hasOwn(attributes, wanted) ? (attributes[wanted]![0] ?? '') : '';
  return nameIdFormat === persistent ? nameId : '';
}
