// Tests of sign-in services before they are saved: whether the service answers, and what a sign-in in a second window would
// do. The values wait for minutes, encrypted, for the administrator who entered them.
import { listGroups } from '../../db/groups/groups.ts';
import { changeSignInTest, findSignInTest, insertSignInTest } from '../../db/identity/sign-in-tests.ts';
import type { Caller, UserCaller } from '../../domain/caller.ts';
import { groupMatching } from '../../domain/directory-groups.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import {
  type Answered,
  type Claims,
  maskClaims,
  type ServiceKind,
  type SignInService,
} from '../../domain/sign-in-service-fields.ts';
import { LdapFault } from '../../lib/ldap/connection.ts';
import { findInDirectory, withDirectory } from '../../lib/ldap/directory.ts';
import { OidcFailure } from '../../lib/oidc.ts';
import { SamlFailure } from '../../lib/saml/xml.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { claimsAsFacts, noteSignInAttempt } from './attempts.ts';
import { claimsOf, directoryOf } from './ldap-sign-in.ts';
import { oidcStart } from './oidc.ts';
import { refusalWords } from './refusals.ts';
import { samlStart } from './saml.ts';
import { readDraft, type ServiceInput } from './service-changes.ts';
import { findService } from './service-list.ts';
import { type Preview, previewSignIn } from './sign-in.ts';

const testMs = 15 * 60_000;

export interface TestResult {
  /** Why a sign-in would be refused, in words; empty if it would not. */
  refused: string;
  /** Masked. */
  claims: Record<string, string>;
  /** Directory groups that a group names. */
  matchedGroups: string[];
  /** Null if it would be refused. */
  would: Preview['would'] | null;
  account: string;
  /** Name of the group that the person would be in. */
  group: string;
}

export interface SignInTest {
  id: string;
  service: SignInService;
  /** The step that failed, in the words of the service; empty if it answers. */
  failed: string;
  /** Null before a sign-in. */
  result: TestResult | null;
}

interface TestInput extends ServiceInput {
  /** Name of a person to look up in a directory. */
  login?: string | undefined;
}

const ownerOf = ({ sessionHash, userId }: UserCaller) => sessionHash?.toString('hex') ?? userId;

export async function startTest(
  ctx: Ctx,
  caller: UserCaller,
  { login = '', ...input }: TestInput,
): Promise<SignInTest> {
  requireRight(caller, 'system.change');
  const service = await readDraft(ctx, input);
  const test: SignInTest = { id: ctx.random.id(), service, failed: '', result: null };
  test.failed = await findFault(async () => {
    await connect[service.kind](ctx, service);
    if (service.kind === 'ldap' && login !== '') test.result = await lookUp(ctx, caller, service, login);
  });
  await ctx.db.write(async (tx) => {
    const expiresAt = ctx.clock.now() + testMs;
    await insertSignInTest(tx, { id: test.id, owner: ownerOf(caller), test: JSON.stringify(test), expiresAt });
    await record(ctx, tx, caller, {
      action: 'sign_in_service.tested',
      object: { kind: 'sign_in_service', id: service.id },
      ownerId: '',
      facts: { failed: test.failed },
    });
  });
  return test;
}

export async function getTest(ctx: Ctx, caller: UserCaller, id: string): Promise<SignInTest> {
  requireRight(caller, 'system.change');
  const found = await findTest(ctx, id, [ownerOf(caller)]);
  if (found === null) throw notFound('sign_in test', 'This test has ended. Start it again.');
  return found;
}

/** Null if it has ended or belongs to none of these owners. `owners` is null where a sealed cookie names the test. */
export async function findTest(ctx: Ctx, id: string, owners: readonly string[] | null): Promise<SignInTest | null> {
  const stored = await findSignInTest(ctx.db.read, id, ctx.clock.now());
  if (stored === undefined || owners?.includes(stored.owner) === false) return null;
  return JSON.parse(stored.test) as SignInTest;
}

/** Runs a step of the sign-in; what the service refuses is the result. Null: the step has failed. */
export async function runTestStep<Result>(
  ctx: Ctx,
  test: SignInTest,
  step: () => Promise<Result>,
): Promise<Result | null> {
  let done: Result | null = null;
  const failed = await findFault(async () => {
    done = await step();
  });
  if (failed !== '')
    await ctx.db.write((tx) => changeSignInTest(tx, test.id, JSON.stringify({ ...test, failed, result: null })));
  return done;
}

/** Signs no one in. */
export async function finishTest(ctx: Ctx, caller: Caller, test: SignInTest, { claims, raw }: Answered): Promise<void> {
  const { service, id } = test;
  const result = await resultOf(ctx, caller, service, { claims, raw });
  const isSaved = (await findService(ctx, service.kind, service.id, { isAlsoOff: true })) !== undefined;
  await ctx.db.write(async (tx) => {
    await changeSignInTest(tx, id, JSON.stringify({ ...test, failed: '', result }));
    if (isSaved) await noteSignInAttempt(ctx, tx, { service, claims: raw, outcome: 'tested' });
  });
}

async function resultOf(
  ctx: Ctx,
  caller: Caller,
  service: SignInService,
  { claims, raw }: Answered,
): Promise<TestResult> {
  const groups = await listGroups(ctx.db.read);
  const shown = {
    claims: maskClaims(raw),
    matchedGroups: (claims.groups ?? []).filter((name) => groupMatching(groups, [name]) !== undefined),
  };
  try {
    const { would, user } = await previewSignIn(ctx, caller, { service, claims });
    const group = groups.find(({ id }) => id === user.groupId)?.name ?? '';
    return { ...shown, refused: '', would, account: user.email, group };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ...shown, refused: refusalWords(error.code, service), would: null, account: '', group: '' };
  }
}

const connect: Record<ServiceKind, (ctx: Ctx, service: SignInService) => Promise<unknown>> = {
  oidc: oidcStart,
  saml: samlStart,
  ldap: (_, service) =>
    withDirectory(directoryOf(service), async (directory) => {
      if (!(await directory.hasPeople()))
        throw new LdapFault('search', 'the directory shows no people: check the base');
    }),
};

async function lookUp(ctx: Ctx, caller: Caller, service: SignInService, login: string): Promise<TestResult> {
  const person = await findInDirectory(directoryOf(service), login);
  if (person === null) throw new LdapFault('person', `the directory has no person with the login name ${login}`);
  const claims: Claims = claimsOf(service, person);
  const raw = { ...claimsAsFacts(claims), disabled: person.isDisabled };
  const result = await resultOf(ctx, caller, service, { claims, raw });
  return person.isDisabled ? { ...result, would: null, refused: refusalWords('disabled', service) } : result;
}

/** The words of a failure; empty for none. */
async function findFault(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return '';
  } catch (error) {
    if (error instanceof OidcFailure || error instanceof SamlFailure || error instanceof LdapFault)
      return error.message;
    throw error;
  }
}
