// Sign-in services, and the identities of people.
import type { endpoints } from '#contract/endpoints.ts';
import { permitSync } from '../../../actions/identity/directory-sync.ts';
import { linkByHand, listIdentitiesOfPerson, unlink } from '../../../actions/identity/linking.ts';
import { changePasswordSignIn, passwordSignInOf } from '../../../actions/identity/password-sign-in.ts';
import {
  changeService,
  createService,
  getService,
  listAttempts,
  listForConsole,
  removeService,
  type ServiceInput,
} from '../../../actions/identity/service-changes.ts';
import { listSyncs } from '../../../actions/identity/service-list.ts';
import { getTest, type SignInTest, startTest } from '../../../actions/identity/service-test.ts';
import { invalid } from '../../../domain/problem.ts';
import { describeFields, type SignInService, serviceKinds } from '../../../domain/sign-in-service-fields.ts';
import type { Call, Serve } from '../../endpoint.ts';
import { pathsOf } from '../../pages/service-paths.ts';

export function serveSignInServices(serve: Serve): void {
  serve('listSignInServices', async ({ ctx, caller }) => ({
    sign_in_services: await serviceBodies(ctx, await listForConsole(ctx, caller)),
    password_sign_in: passwordSignInOf(ctx),
    kinds: serviceKinds.map((kind) => ({ kind, fields: describeFields(kind) })),
  }));
  serve('createSignInService', async ({ ctx, caller, body }) => ({
    sign_in_service: await serviceBody(ctx, await createService(ctx, caller, inputOf(body))),
  }));
  serve('getSignInService', async ({ ctx, caller, params }) => ({
    sign_in_service: await serviceBody(ctx, await getService(ctx, caller, params.id)),
  }));
  serve('changeSignInService', async ({ ctx, caller, params, body }) => ({
    sign_in_service: await serviceBody(ctx, await changeService(ctx, caller, params.id, inputOf(body))),
  }));
  serve('deleteSignInService', ({ ctx, caller, params }) => removeService(ctx, caller, params.id));
  serve('testSignInService', async ({ ctx, caller, params }) => {
    const { id } = await getService(ctx, caller, params.id);
    return { test: testBody(ctx, await startTest(ctx, caller, { id, fields: {} })) };
  });
  serve('startSignInTest', async ({ ctx, caller, body }) => ({
    test: testBody(ctx, await startTest(ctx, caller, { ...inputOf(body), login: body.test_login })),
  }));
  serve('getSignInTest', async ({ ctx, caller, params }) => ({
    test: testBody(ctx, await getTest(ctx, caller, params.id)),
  }));
  serve('permitSync', ({ ctx, caller, params }) => permitSync(ctx, caller, params.id));
  serve('listSignInAttempts', async ({ ctx, caller, params }) => ({
    attempts: await listAttempts(ctx, caller, params.id),
  }));
  serve('changePasswordSignIn', async ({ ctx, caller, body }) => ({
    password_sign_in: await changePasswordSignIn(ctx, caller, body.password_sign_in.isEnabled),
  }));
  serve('listIdentities', async ({ ctx, caller, params }) => ({
    identities: await listIdentitiesOfPerson(ctx, caller, params.id),
  }));
  serve('linkIdentity', async ({ ctx, caller, params, body }) => ({
    identity: await linkByHand(ctx, caller, params.id, body.identity),
  }));
  serve('unlinkIdentity', ({ ctx, caller, params }) => unlink(ctx, caller, params.id, params.identity));
}

const maxFieldLength = 100_000;

/** Fields of the answer that a script may send back unchanged. */
const readOnlyFields = ['source', 'secrets', 'addresses', 'last_sync'];

function inputOf({
  sign_in_service,
}: Pick<Call<(typeof endpoints)['createSignInService']>['body'], 'sign_in_service'>): ServiceInput {
  const { id, kind, enabled, ...rest } = sign_in_service;
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(rest))
    if (value !== null && value !== undefined && !readOnlyFields.includes(name)) fields[name] = textOf(name, value);
  return { id, kind, isEnabled: enabled, fields };
}

/** `addresses_verified` is true, false or a word; switches are on or off. */
function textOf(name: string, value: unknown): string {
  if (typeof value === 'object' || String(value).length > maxFieldLength)
    throw invalid('sign_in_service.bad_field', 'A field of a sign-in service is a text.', name);
  if (typeof value !== 'boolean' || name === 'addresses_verified') return String(value);
  return value ? 'on' : 'off';
}

type Ctx = Parameters<typeof listForConsole>[0];

async function serviceBody(ctx: Ctx, service: SignInService) {
  return (await serviceBodies(ctx, [service]))[0]!;
}

async function serviceBodies(ctx: Ctx, services: readonly SignInService[]) {
  const syncs = await listSyncs(ctx);
  return services.map((service) => ({
    ...service.settings,
    id: service.id,
    kind: service.kind,
    name: service.name,
    enabled: service.isEnabled,
    source: service.source,
    provision: service.provision,
    link: service.link,
    default_group: service.defaultGroupId,
    addresses_verified: service.addressesVerified,
    second_step: service.acceptsSecondStep ? 'on' : 'off',
    secrets: Object.keys(service.secrets).filter((name) => service.secrets[name] !== ''),
    last_sync: (service.kind === 'ldap' ? syncs.get(service.id) : null) ?? null,
    addresses: addressesOf(ctx, service),
  }));
}

function testBody(ctx: Ctx, { id, service, failed, result }: SignInTest) {
  const { start, callback, metadata } = addressesOf(ctx, service);
  const tested = (url: string | null) => (url === null ? null : `${url}?test=${id}`);
  return { id, failed, url: tested(start), callback, metadata: tested(metadata), result };
}

function addressesOf(ctx: Ctx, service: SignInService) {
  const { baseUrl } = ctx.settings.surroundings;
  const paths = pathsOf(service);
  const whole = (path: string | null) => (path === null ? null : `${baseUrl}${path}`);
  return { start: whole(paths.start), callback: whole(paths.callback), metadata: whole(paths.metadata) };
}
