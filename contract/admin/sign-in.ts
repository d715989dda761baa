// Sign-in services, the identities of people, and whether passwords of Waybill are accepted. Additive.
import { z } from 'zod';
import { named, wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { flag, instantMs, optional } from '../wire.ts';

const kind = z.enum(['oidc', 'saml', 'ldap']);

export const signInService = z
  .looseObject({
    id: z.string().describe('Part of its addresses.'),
    kind: kind.describe('OpenID Connect, SAML 2.0, or LDAP and Active Directory.'),
    name: z.string().describe('Label on the sign-in page.'),
    enabled: z.boolean().describe('Whether it is on the sign-in page.'),
    source: z.enum(['environment', 'console']).describe('One from the environment can only be read.'),
    secrets: z.array(z.string()).describe('Names of the secrets that are set; their values are never returned.'),
    last_sync: z
      .object({ outcome: z.enum(['done', 'failed', 'stopped']), note: z.string(), at: instantMs })
      .nullable()
      .describe('The last comparison with the directory; null before the first, and for other kinds.'),
    addresses: z.object({
      start: z.string().nullable().describe('Where a sign-in begins; null for LDAP.'),
      callback: z
        .string()
        .nullable()
        .describe('To enter at the provider as redirect URI, or assertion consumer service.'),
      metadata: z.string().nullable().describe('What the identity provider of SAML imports; null otherwise.'),
    }),
  })
  .meta({
    id: 'SignInService',
    description: 'The fields of its kind (docs/operate/identity.md) are fields, too; each is a text.',
  });

export const signInServiceInput = z.object({
  sign_in_service: z
    .object({
      id: optional(z.string().max(40)).describe('Letters, digits and hyphens; from the name unless given.'),
      kind: optional(kind).describe('Cannot be changed later.'),
      name: optional(z.string().max(100)).describe('Label on the sign-in page.'),
      enabled: optional(flag).describe('Whether it is on the sign-in page. Default: true.'),
    })
    .catchall(z.unknown())
    .meta({
      id: 'SignInServiceInput',
      description: 'Fields of its kind by the suffix of their variable in lower case. A secret that is left out stays.',
    }),
});

/** For forms; the fields of `SignInService` that depend on the kind. */
const serviceKind = wire({
  kind,
  fields: z.array(
    wire({
      name: z.string(),
      meaning: z.string(),
      choices: z.array(z.string()).nullable(),
      default: named('fallback', z.string()),
      is_secret: z.boolean(),
      is_needed: z.boolean(),
      is_long: z.boolean().describe('Of several lines.'),
      variable: z.string().describe('That sets it in the environment.'),
    }),
  ),
}).meta({ id: 'SignInServiceKind' });

const signInServiceAnswer = z.object({ sign_in_service: signInService });

export const signInAttempt = wire({
  at: instantMs.describe('When.'),
  outcome: z.enum(['signed_in', 'proof_needed', 'refused', 'tested']).describe('`proof_needed`: before it was linked.'),
  reason: z.string().describe('Code of the refusal; empty otherwise.'),
  words: z.string().describe('The refusal in words; empty otherwise.'),
  claims: z.record(z.string(), z.string()).describe('What the service sent, with masked values.'),
}).meta({ id: 'SignInAttempt' });

export const linkedIdentity = wire({
  id: z.string(),
  service: z.string().describe('Id of the sign-in service.'),
  subject: z.string().describe('Id of the person there.'),
  way: z
    .enum(['provisioned', 'password', 'code', 'verified', 'administrator', 'scim'])
    .describe('How it was connected with the account.'),
  created_at: instantMs,
  last_used_at: instantMs.nullable(),
}).meta({ id: 'LinkedIdentity' });

export const passwordSignIn = wire({
  enabled: named('isEnabled', z.boolean()).describe('Whether people sign in with passwords of Waybill.'),
  source: z.enum(['environment', 'console']),
}).meta({ id: 'PasswordSignIn' });

const testResult = wire({
  refused: z.string().describe('Why the person would be refused, in words; empty otherwise.'),
  claims: z.record(z.string(), z.string()).describe('What the service sent, with masked values.'),
  matched_groups: z.array(z.string()).describe('Directory groups that a group names.'),
  would: z
    .enum(['sign_in', 'create', 'link', 'prove'])
    .nullable()
    .describe(
      '`create` an account, `link` an existing one, ask its owner to `prove` it, or `sign_in` to the linked one; null: it would be refused.',
    ),
  account: z.string().describe('Address of the account.'),
  group: z.string().describe('Name of the group that the person would be in.'),
});

export const signInTest = wire({
  id: z.string(),
  failed: z.string().describe('The step that failed in words; empty if none did.'),
  url: z.string().nullable().describe('Open it in a second window; null for LDAP.'),
  callback: z.string().nullable().describe('To enter at the provider.'),
  metadata: z.string().nullable().describe('What the identity provider of SAML imports; null otherwise.'),
  result: testResult.nullable().describe('Null before the sign-in in the second window.'),
}).meta({ id: 'SignInTest', description: 'Ends after 15 minutes.' });

const testAnswer = z.object({ test: signInTest });

const call = { ...adminCall, origin: 'additive' } as const;
const reason = z.string().max(500).describe('Why; recorded in the log.');

export const signInServiceEndpoints = {
  listSignInServices: define({
    ...call,
    right: 'system.read',
    method: 'GET',
    path: '/admin/sign_in_services',
    summary: 'Sign-in services, in the order of the sign-in page',
    answer: z.object({
      sign_in_services: z.array(signInService),
      password_sign_in: passwordSignIn,
      kinds: z.array(serviceKind),
    }),
  }),
  createSignInService: define({
    ...call,
    right: 'system.change',
    method: 'POST',
    path: '/admin/sign_in_services',
    summary: 'Add a sign-in service',
    body: signInServiceInput,
    answer: signInServiceAnswer,
  }),
  getSignInService: define({
    ...call,
    right: 'system.read',
    method: 'GET',
    path: '/admin/sign_in_services/:id',
    summary: 'One sign-in service',
    answer: signInServiceAnswer,
  }),
  changeSignInService: define({
    ...call,
    right: 'system.change',
    method: 'PUT',
    path: '/admin/sign_in_services/:id',
    summary: 'Change a sign-in service',
    body: signInServiceInput,
    answer: signInServiceAnswer,
  }),
  deleteSignInService: define({
    ...call,
    right: 'system.change',
    method: 'DELETE',
    path: '/admin/sign_in_services/:id',
    summary: 'Remove a sign-in service; people keep their accounts and are connected again if it returns',
    answer: 'empty',
  }),
  testSignInService: define({
    ...call,
    right: 'system.change',
    method: 'POST',
    path: '/admin/sign_in_services/:id/test',
    summary: 'Check that a sign-in service answers, and get the address of a sign-in that only shows its claims',
    answer: testAnswer,
  }),
  startSignInTest: define({
    ...call,
    right: 'system.change',
    method: 'POST',
    path: '/admin/sign_in_tests',
    summary: 'Test a sign-in service before it is saved; with the id of a saved one, its secrets are used',
    body: signInServiceInput.extend({
      test_login: optional(z.string().max(320)).describe('Login name of a person to look up in the directory.'),
    }),
    answer: testAnswer,
  }),
  getSignInTest: define({
    ...call,
    right: 'system.change',
    method: 'GET',
    path: '/admin/sign_in_tests/:id',
    summary: 'A test of a sign-in service, with its result',
    answer: testAnswer,
  }),
  permitSync: define({
    ...call,
    right: 'system.change',
    method: 'POST',
    path: '/admin/sign_in_services/:id/permit_sync',
    summary: 'Permit the next comparison with a directory to switch off and move many people',
    answer: 'empty',
  }),
  listSignInAttempts: define({
    ...call,
    right: 'system.read',
    method: 'GET',
    path: '/admin/sign_in_services/:id/attempts',
    summary: 'The last 20 sign-ins through a service, newest first',
    answer: z.object({ attempts: z.array(signInAttempt) }),
  }),
  changePasswordSignIn: define({
    ...call,
    right: 'system.change',
    method: 'PUT',
    path: '/admin/password_sign_in',
    summary: 'Accept or refuse passwords of Waybill',
    body: z.object({ password_sign_in: wire({ enabled: named('isEnabled', flag) }) }),
    answer: z.object({ password_sign_in: passwordSignIn }),
  }),
  listIdentities: define({
    ...call,
    right: 'people.manage',
    method: 'GET',
    path: '/admin/people/:id/identities',
    summary: 'Who a person is at the sign-in services',
    answer: z.object({ identities: z.array(linkedIdentity) }),
  }),
  linkIdentity: define({
    ...call,
    right: 'system.change',
    method: 'POST',
    path: '/admin/people/:id/identities',
    summary: 'Connect a person’s account with an identity at a sign-in service',
    body: z.object({ identity: wire({ service: z.string().max(40), subject: z.string().max(500), reason }) }),
    answer: z.object({ identity: linkedIdentity }),
  }),
  unlinkIdentity: define({
    ...call,
    right: 'system.change',
    method: 'DELETE',
    path: '/admin/people/:id/identities/:identity',
    summary: 'Disconnect an identity; open sessions of the person end',
    answer: 'empty',
  }),
} as const;
