// How to make each call of the console in a scene. Reading calls without parameters need no line; all others do.
import { type Endpoint, type EndpointName, endpoints } from '#contract/endpoints.ts';
import type { CallOptions } from './client.ts';
import { referenceOf } from './references.ts';
import type { Scene } from './secret-scene.ts';
import { idOf } from './shared-files.ts';

export interface Given extends Omit<CallOptions, 'query' | 'params'> {
  query?: Record<string, string | undefined>;
  params?: Record<string, string | undefined>;
  status?: number;
}

export const consoleCalls = (Object.entries(endpoints) as [EndpointName, Endpoint][]).filter(
  ([, { right }]) => right !== undefined,
);

const later = '2026-11-25';
const reason = 'a reason';
const local = { id: 'local-users' };
const template = { kind: 'message' };

/** Addresses of a transfer, as an administrator pastes them from a report. */
const pasted = ({ app, link, messages }: Scene) =>
  `reported ${app.url}/link/${link} and ${encodeURIComponent(`${app.url}/message/${messages[1]}`)}`;

const timeOf = {
  tasks: 'created_at',
  statements: 'created_at',
  system_drops: 'created_at',
  legal_holds: 'set_at',
  hand_over_confirmations: 'asked_at',
} as const;

async function newest({ app }: Scene, table: keyof typeof timeOf): Promise<{ id: string }> {
  const query = app.app.ctx.db.read.selectFrom(table).select('id');
  return query.orderBy(timeOf[table] as 'created_at', 'desc').executeTakeFirstOrThrow();
}

async function someone({ app }: Scene, name: string): Promise<{ id: string }> {
  const user = { email: `${name}@example.com`, name, invite: true };
  const { body } = await app.admin.expect(200, 'createUser', { body: { user } });
  return { id: (body as { user: { id: string } }).user.id };
}

async function failedMail({ app }: Scene): Promise<{ id: string }> {
  const mails = app.app.ctx.db.read.selectFrom('outbox').select('id').where('state', '=', 'failed');
  return mails.where('message_id', 'is not', null).executeTakeFirstOrThrow();
}

async function locked({ app }: Scene): Promise<{ id: string }> {
  const { body } = await app.admin.expect(200, 'listLocks');
  return (body as { locks: { id: string }[] }).locks[0]!;
}

type Made = (scene: Scene) => readonly Given[] | Promise<readonly Given[]>;

/** Calls that read come first, then those that change, then those that end. */
export const callsOf: Partial<Record<EndpointName, Made>> = {
  getApiKey: ({ alice }) => [{ query: { email: alice.email } }],
  getUser: ({ bob }) => [{ params: { id: idOf(bob) } }],
  getPerson: ({ bob }) => [{ params: { id: idOf(bob) } }],
  planErasure: ({ bob }) => [{ params: { id: idOf(bob) } }],
  exportPerson: ({ alice, bob }) => [{ params: { id: idOf(alice) } }, { params: { id: idOf(bob) } }],
  getSystemDrop: async (scene) => [{ params: await newest(scene, 'system_drops') }],
  getGroup: () => [{ params: local }],
  listGroupHistory: () => [{ params: local }],
  previewGroup: () => [{ params: local, body: { preview: {} } }],
  replayGroup: ({ groupId }) => [
    { params: { id: groupId }, body: { replay: { group: { can_use_filelinks: false } } } },
  ],
  explainPolicy: ({ bob }) => [
    { body: { explain: { user: bob.email, message: { recipients: ['x@y.example'], subject: 'Hi', message: '' } } } },
  ],
  whichGroup: () => [{ query: { email: 'x@y.example' } }],
  listTransfers: ({ app, link, messages, request, attachment }) => [
    { query: { size: '2' } },
    { query: { id: link } },
    { query: { id: `${app.url}/message/${messages[0]}?lang=de` } },
    { query: { id: request } },
    { query: { id: attachment } },
  ],
  searchConsole: ({ link, messages, bob }) => [
    { query: { q: link } },
    { query: { q: messages[0]! } },
    { query: { q: bob.email } },
    { query: { q: 'bob' } },
  ],
  listEvents: ({ link, messages }) => [
    { query: { size: '5' } },
    { query: { size: '100' } },
    { query: { object: link } },
    { query: { object: messages[0]! } },
  ],
  listDownloadLog: ({ link }) => [{ query: { size: '2' } }, { query: { size: '100' } }, { query: { object: link } }],
  listMails: () => [{ query: { state: 'all', size: '2' } }, { query: { state: 'all', size: '100' } }],
  getTransfer: async (scene) => [
    { params: await referenceOf(scene.app, scene.link) },
    { params: await referenceOf(scene.app, scene.messages[0]!) },
    { params: { reference: scene.link }, status: 404 },
  ],
  getTransferReceipt: async ({ app, link, messages, request }) =>
    (await Promise.all([link, request, ...messages].map((id) => referenceOf(app, id)))).flatMap((params, at) => [
      { params },
      ...(at < 2 ? [{ params, query: { format: 'pdf' } }] : []),
    ]),
  readTransferSubject: async (scene) => [
    { params: await referenceOf(scene.app, scene.link), body: { reason: pasted(scene) } },
  ],
  getMailTemplate: () => [{ params: template }],
  previewMailTemplate: () => [{ params: template, body: { mail_template: {} } }],
  showMailTemplate: () => [{ params: template }],
  showBranding: () => [{ query: { view: 'page' } }, { query: { view: 'mail' } }],
  testMailTemplate: () => [{ params: template, body: { mail_template: {} } }],
  checkMailDomain: () => [{ query: { selector: 'none' } }],
  getEvidenceTile: () => [{ status: 404 }],

  createWebhook: () => [{ body: { webhook: { url: 'https://192.0.2.1/' } }, status: 422 }],
  getWebhook: () => [{ params: { id: 'none' }, status: 404 }],
  changeWebhook: () => [{ params: { id: 'none' }, body: { webhook: { enabled: false } }, status: 404 }],
  deleteWebhook: () => [{ params: { id: 'none' }, status: 404 }],
  testWebhook: () => [{ params: { id: 'none' }, status: 404 }],
  rotateWebhookSecret: () => [{ params: { id: 'none' }, status: 404 }],
  listWebhookDeliveries: () => [{ params: { id: 'none' }, status: 404 }],
  testEventStream: () => [{ params: { name: 'syslog' }, status: 404 }],
  replayWebhook: () => [{ params: { id: 'none' }, body: { replay: { after: 0 } }, status: 404 }],

  createUser: () => [{ body: { user: { email: 'carol@example.com', name: 'Carol' } } }],
  changeUser: () => [{ params: { id: 'carol-example-com' }, body: { user: { name: 'Caroline' } } }],
  removeSecondFactor: ({ bob }) => [{ params: { id: idOf(bob) }, status: 422 }],
  endPersonSessions: ({ bob }) => [{ params: { id: idOf(bob) } }],
  endPersonSession: ({ bob }) => [{ params: { id: idOf(bob), session: 'none' }, status: 404 }],
  resetSecondStep: ({ bob }) => [{ params: { id: idOf(bob) }, body: { reset: { reason } }, status: 422 }],
  readPersonKey: ({ alice }) => [{ params: { id: idOf(alice) }, body: { api_key: { reason } } }],
  renewClientKey: ({ bob }) => [{ params: { id: idOf(bob) }, body: { client_key: { reason } } }],
  invitePerson: async (scene) => [{ params: await someone(scene, 'invited') }],
  importPeople: () => [{ body: { import: { people: [{ line: 1, email: 'dora@example.com' }] } } }],
  bulkPeople: ({ bob }) => [{ body: { bulk: { action: 'suspend', people: [idOf(bob)], dry_run: true } } }],
  createSystemDrop: ({ alice }) => [
    { body: { filedrop: { name: 'returns', title: 'Returns', receivers: [alice.email] } } },
  ],
  changeSystemDrop: async (scene) => [
    { params: await newest(scene, 'system_drops'), body: { filedrop: { title: 'Goods' } } },
  ],
  createGroup: () => [{ body: { group: { name: 'Team' } } }],
  changeGroup: () => [{ params: { id: 'team' }, body: { group: { can_use_filelinks: false } } }],
  moveGroup: () => [{ params: { id: 'team' }, body: { move: { to: 1 } } }],
  restoreGroup: async ({ app }) => {
    const { body } = await app.admin.expect(200, 'listGroupHistory', { params: { id: 'team' } });
    const [entry] = (body as { history: { id: number }[] }).history;
    return [{ params: { id: 'team' }, body: { restore: { entry: entry!.id } } }];
  },
  setHold: (scene) => [
    { body: { hold: { transfer: scene.link, reason: pasted(scene) } } },
    { body: { hold: { transfer: scene.messages[2]!, reason } } },
    { body: { hold: { user: scene.bob.email, reason: pasted(scene) } } },
  ],
  liftHold: async (scene) => [
    { params: await newest(scene, 'legal_holds'), body: { lift: { reason: pasted(scene) } } },
  ],
  stateExposure: ({ alice, bob }) =>
    [{ user: idOf(alice) }, { user: idOf(bob) }, { address: 'ben@harbour.example' }, { ip: '127.0.0.1' }].map(
      (who) => ({
        body: { exposure: { ...who, from: '2026-11-01', to: '2026-12-01' } },
      }),
    ),
  getStatement: async ({ app }) => {
    const statements = await app.app.ctx.db.read.selectFrom('statements').select('id').execute();
    const [first] = statements;
    return [
      ...statements.map(({ id }) => ({ params: { id } })),
      ...(first === undefined ? [] : [{ params: first, query: { format: 'pdf' } }]),
    ];
  },
  extendTransfer: async (scene) => [
    { params: await referenceOf(scene.app, scene.link), body: { expires_at: '2026-12-10', reason: pasted(scene) } },
    { params: await referenceOf(scene.app, scene.request), body: { expires_at: later }, status: 422 },
  ],
  handOverTransfer: async (scene) => [
    { params: await referenceOf(scene.app, scene.messages[3]!), body: { to: idOf(scene.bob), reason: pasted(scene) } },
  ],
  requestHandOver: async (scene) => [
    { body: { confirmation: { to: (await someone(scene, 'successor')).id, reason: pasted(scene) } } },
  ],
  confirmHandOver: async (scene) => [
    // The requester of an approval cannot confirm it.
    { params: await newest(scene, 'hand_over_confirmations'), status: 403 },
  ],
  stopTransfer: async (scene) => [
    { params: await referenceOf(scene.app, scene.link), body: { reason: pasted(scene) } },
    { params: await referenceOf(scene.app, scene.messages[4]!), body: { reason } },
  ],
  bulkTransfers: (scene) => [
    { body: { bulk: { action: 'stop', filter: { id: pasted(scene) }, dry_run: true } } },
    { body: { bulk: { action: 'extend', filter: { person: scene.alice.email }, expires_at: later } } },
    { body: { bulk: { action: 'stop', filter: { id: scene.messages[0] }, reason: pasted(scene) } } },
  ],
  getTask: async (scene) => {
    await scene.app.app.jobs.runOnce('run-tasks');
    const tasks = await scene.app.app.ctx.db.read.selectFrom('tasks').select('id').execute();
    return tasks.map(({ id }) => ({ params: { id } }));
  },
  stopTask: async (scene) => [{ params: await newest(scene, 'tasks') }],
  stopRunning: ({ alice }) => [{ params: { id: `download.1.${idOf(alice)}` }, status: 404 }],
  deleteExpired: () => [{}],
  checkFiles: () => [{}],
  changeMailTemplate: () => [{ params: template, body: { mail_template: { subject: 'Files from {sender}' } } }],
  testMail: ({ bob }) => [{ body: { mail_test: { to: bob.email } } }],
  changeMailSettings: () => [{ body: { mail_settings: { method: 'smtp', sign_in: 'none', host: '' } }, status: 422 }],
  removeMailSettings: () => [{}],
  changeScannerSettings: () => [{ body: { scanner_settings: { address: 'clamd' } }, status: 422 }],
  removeScannerSettings: () => [{}],
  testScanner: () => [{ body: {}, status: 422 }],
  releaseQuarantined: () => [
    { params: { id: 'AAAAAAAAAAAAAAAAAAAAAA' }, body: { release: { reason, password: 'wrong' } }, status: 422 },
  ],
  releaseMessage: () => [{ params: { id: 'K7QM-2XPD-94' }, body: { review: { reason } }, status: 404 }],
  refuseMessage: () => [{ params: { id: 'K7QM-2XPD-94' }, body: { review: { reason } }, status: 404 }],
  deleteQuarantined: () => [{ params: { id: 'AAAAAAAAAAAAAAAAAAAAAA' }, status: 404 }],
  retryMail: async (scene) => [{ params: await failedMail(scene) }],
  dropMail: async (scene) => {
    const pending = scene.app.app.ctx.db.read.selectFrom('outbox').select('id').where('state', '=', 'pending');
    return [{ params: await pending.where('message_id', 'is not', null).executeTakeFirstOrThrow() }];
  },
  testConnection: () => [{}],
  runJob: () => [{ params: { name: 'expire' }, body: { run: {} } }],
  beginMaintenance: () => [{ body: { maintenance: { message: 'Back soon' } } }],
  endMaintenance: () => [{}],
  removeLock: async (scene) => [{ params: await locked(scene) }],
  removeRecipientPasskey: () => [
    { params: { id: 'AAAAAAAAAAAAAAAAAAAAAA' }, body: { passkey: { reason } }, status: 404 },
  ],
  createSignInService: () => [{ body: { sign_in_service: { kind: 'oidc' } }, status: 422 }],
  getSignInService: () => [{ params: { id: 'none' }, status: 404 }],
  changeSignInService: () => [{ params: { id: 'none' }, body: { sign_in_service: {} }, status: 404 }],
  deleteSignInService: () => [{ params: { id: 'none' }, status: 404 }],
  permitSync: () => [{ params: { id: 'none' }, status: 409 }],
  startSignInTest: () => [{ body: { sign_in_service: {} }, status: 422 }],
  getSignInTest: () => [{ params: { id: 'none' }, status: 404 }],
  testSignInService: () => [{ params: { id: 'none' }, status: 404 }],
  listSignInAttempts: () => [{ params: { id: 'none' }, status: 404 }],
  changePasswordSignIn: () => [{ body: { password_sign_in: { enabled: false } }, status: 422 }],
  changeScim: () => [{ body: { scim: { service: null } } }],
  createScimToken: () => [{ body: { token: { name: 'Directory' } } }],
  deleteScimToken: () => [{ params: { id: 'none' }, status: 404 }],
  permitScimChange: () => [{}],
  listIdentities: ({ bob }) => [{ params: { id: idOf(bob) } }],
  linkIdentity: ({ bob }) => [
    { params: { id: idOf(bob) }, body: { identity: { service: 'oidc', subject: 'bob', reason } } },
  ],
  unlinkIdentity: ({ bob }) => [{ params: { id: idOf(bob), identity: 'none' }, status: 404 }],
  changeSecuritySettings: () => [{ body: { security: { console_networks: [] } } }],
  changeBranding: () => [{ body: { branding: { organisation_name: 'Northlight' } } }],
  changeLogo: () => [{ bytes: 'no picture', status: 422 }],
  deleteLogo: () => [{}],
  testWitness: () => [{ body: { witness_test: { key: 'k' } }, status: 422 }],
  addCosignature: () => [{ body: { cosignature: { key: 'k', note: 'n' } }, status: 422 }],
  deleteGroup: () => [{ params: { id: 'team' } }],
  deleteSystemDrop: async (scene) => [{ params: await newest(scene, 'system_drops') }],
  deleteUser: async (scene) => [{ params: await someone(scene, 'deleted') }],
  deletePerson: async (scene) => [
    {
      params: await someone(scene, 'leaver'),
      body: { deletion: { email: 'leaver@example.com', to: scene.bob.email, reason: pasted(scene) } },
    },
  ],
  leaveUser: (scene) => [
    { params: { id: idOf(scene.bob) }, body: { leave: { hand_over_to: null, reason: pasted(scene) } } },
  ],
  erasePerson: async (scene) => [
    { params: await someone(scene, 'erased'), body: { erasure: { email: 'erased@example.com', reason } } },
  ],
};
