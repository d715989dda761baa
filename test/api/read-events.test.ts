import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Endpoint, type EndpointName, endpoints } from '#contract/endpoints.ts';
import { viewWindowMs } from '#server/actions/audit/views.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import type { ApiClient, CallOptions } from '#test/kit/client.ts';
import { inParallel } from '#test/kit/distant-browser.ts';
import { inlineFile, newPerson, sendMessage } from '#test/kit/messages.ts';
import { referenceOf } from '#test/kit/references.ts';
import { idOf } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

interface Seen {
  action: string;
  actor: string;
  object: string;
  owner: string;
  facts: Record<string, unknown>;
}

/** Calls that show something of others and have no list of their own, with their events. */
const details: Partial<Record<EndpointName, string>> = {
  getUser: 'user.viewed',
  getPerson: 'user.viewed',
  planErasure: 'user.viewed',
  exportPerson: 'user.exported',
  getTransfer: 'transfer.viewed',
  getTransferReceipt: 'receipt.viewed',
  getStatement: 'statement.viewed',
  getApiKey: 'api_key.read',
};

const ofInstallation = 'shows settings, figures and state of the installation';
const ofRules = 'shows rules of groups';
/** Reading calls without an event. */
const withoutEvent: Partial<Record<EndpointName, string>> = {
  getOverview: 'figures; running transfers of others are a list of their own, tested below',
  listSetupSteps: ofInstallation,
  listSystemDrops: ofInstallation,
  getSystemDrop: ofInstallation,
  listGroups: ofRules,
  getGroup: ofRules,
  listGroupHistory: ofRules,
  listPolicySettings: ofRules,
  whichGroup: ofRules,
  getEvidence: ofInstallation,
  getEvidenceCheckpoint: ofInstallation,
  getEvidenceTile: 'hashes',
  listEvidenceKeys: ofInstallation,
  listHandOverConfirmations: 'requests of administrators, each of which is an event',
  listTasks: 'work that the caller has started, which is an event',
  getTask: 'work that the caller has started, which is an event',
  getStorageOverview: ofInstallation,
  getReadableBytes: ofInstallation,
  listMailTemplates: ofInstallation,
  getMailTemplate: ofInstallation,
  showMailTemplate: ofInstallation,
  getMailDelivery: ofInstallation,
  checkMailDomain: ofInstallation,
  getMailSettings: ofInstallation,
  listIdentities: 'the details of one person, whom the caller may manage',
  listSignInServices: ofInstallation,
  getSignInService: ofInstallation,
  getScim: ofInstallation,
  listWebhooks: ofInstallation,
  getWebhook: ofInstallation,
  listWebhookDeliveries: 'times and answers of receivers',
  listEventStreams: ofInstallation,
  listSignInAttempts: 'masked claims, which name no one',
  getSignInTest: 'a test of the caller',
  getSystem: ofInstallation,
  getSupportText: ofInstallation,
  listJobs: ofInstallation,
  listClients: ofInstallation,
  getSecuritySettings: ofInstallation,
  getBranding: ofInstallation,
  showBranding: ofInstallation,
};

test('each call of the console that reads leaves an event, or a reason says why not', () => {
  const reading = (Object.entries(endpoints) as [EndpointName, Endpoint][]).filter(
    ([, { right, method }]) => right !== undefined && method === 'GET',
  );
  for (const [name, { shows }] of reading) {
    const decisions = [shows, details[name], withoutEvent[name]].filter((decision) => decision !== undefined);
    assert.equal(decisions.length, 1, name);
  }
});

onEachDatabase('what administrators read', (start) => {
  const app = useApp(start);
  let alice: ApiClient;
  let boss: ApiClient;
  let watch: ApiClient;
  let message: string;
  let reference: string;
  let statement: string;

  before(async () => {
    await app.group('Auditors', { role: 'auditor' });
    alice = await newPerson(app, 'alice');
    boss = await newPerson(app, 'boss', { group: 'administrators' });
    watch = await newPerson(app, 'watch', { group: 'auditors' });
    const file = inlineFile('plan.txt', 'plan');
    const sent = { recipients: ['ben@harbour.example'], subject: 'Plans', send_email: false, attachments: [file] };
    message = (await sendMessage(alice, sent)).id;
    reference = (await referenceOf(app, message)).reference;
    const exposure = { user: alice.email, from: '2026-11-01', to: '2026-12-31' };
    const { body } = await app.admin.expect(200, 'stateExposure', { body: { exposure } });
    statement = (body as { statement: { id: string } }).statement.id;
  });

  /** The events that `work` records. */
  async function leaves(work: () => Promise<unknown>): Promise<Seen[]> {
    const { read } = app.app.ctx.db;
    const { last } = await read
      .selectFrom('events')
      .select((eb) => eb.fn.max('seq').as('last'))
      .executeTakeFirstOrThrow();
    await work();
    const rows = await read.selectFrom('events').selectAll().where('seq', '>', Number(last)).orderBy('seq').execute();
    return rows.map((row) => {
      const { reference: _, ...facts } = JSON.parse(row.facts) as Record<string, unknown>;
      return { action: row.action, actor: row.actor_id, object: row.object_id, owner: row.owner_id, facts };
    });
  }
  const actionsOf = async (work: () => Promise<unknown>) => (await leaves(work)).map(({ action }) => action);
  const eventsOf = (who: ApiClient, name: EndpointName, options: CallOptions = {}) =>
    leaves(() => who.expect(200, name, options));

  test('is an event that says who read what', async () => {
    const person = { params: { id: idOf(alice) } };
    const about = { actor: idOf(boss), owner: idOf(alice), facts: {} };
    const ofAlice = { ...about, object: idOf(alice), action: 'user.viewed' };
    for (const name of ['getPerson', 'getUser', 'planErasure'] as const) {
      assert.deepEqual(await eventsOf(boss, name, person), [ofAlice], name);
      app.clock.advance(viewWindowMs);
    }
    const transfer = { params: { reference } };
    const ofMessage = { ...about, object: message };
    assert.deepEqual(await eventsOf(boss, 'getTransfer', transfer), [{ ...ofMessage, action: 'transfer.viewed' }]);
    assert.deepEqual(await eventsOf(boss, 'getTransferReceipt', transfer), [
      { ...ofMessage, action: 'receipt.viewed' },
    ]);
    const [read] = await eventsOf(watch, 'getStatement', { params: { id: statement } });
    assert.deepEqual([read!.action, read!.actor, read!.object], ['statement.viewed', idOf(watch), statement]);
    assert.deepEqual(await actionsOf(() => boss.expect(200, 'exportPerson', person)), ['user.exported']);
  });

  test('is an event for each list, with the filters', async () => {
    const lists = (Object.entries(endpoints) as [EndpointName, Endpoint][]).filter(
      ([, { shows, method }]) => shows !== undefined && method === 'GET',
    );
    for (const [name, { shows, answer }] of lists) {
      app.clock.advance(viewWindowMs);
      const needed = name === 'searchConsole' ? { query: { q: 'plan' } } : {};
      const [seen, ...more] = await eventsOf(app.admin, name, needed);
      const action = answer === 'file' ? 'list.exported' : 'list.viewed';
      assert.deepEqual([more, seen!.action, seen!.object, seen!.owner], [[], action, shows, ''], name);
    }
    const query = { person: alice.email, size: '5' };
    const [filtered] = await eventsOf(app.admin, 'listTransfers', { query });
    assert.deepEqual(filtered!.facts, { filter: { person: alice.email } });
    // The id of a transfer opens it, so the log has its reference.
    const [named] = await eventsOf(app.admin, 'listTransfers', {
      query: { id: `https://files.example/message/${message}` },
    });
    assert.deepEqual(named!.facts, { filter: { id: `https://files.example/message/${reference}` } });
  });

  test('is one event for repeated reads within 15 minutes, also for many concurrent ones', async () => {
    app.clock.advance(viewWindowMs);
    const person = { params: { id: idOf(alice) } };
    const first = await leaves(() => inParallel(10, 10, () => boss.expect(200, 'getPerson', person)));
    assert.equal(first.length, 1);
    app.clock.advance(viewWindowMs - 1);
    assert.deepEqual(await eventsOf(boss, 'getPerson', person), []);
    // Other readers and other targets have separate events.
    assert.equal((await eventsOf(app.admin, 'getPerson', person)).length, 1);
    assert.equal((await eventsOf(boss, 'listTransfers', { query: { state: 'open' } })).length, 1);
    assert.equal((await eventsOf(boss, 'listTransfers', { query: { state: 'expired' } })).length, 1);
    assert.deepEqual(await eventsOf(boss, 'listTransfers', { query: { state: 'open', size: '1' } }), []);
    app.clock.advance(1);
    assert.equal((await eventsOf(boss, 'getPerson', person)).length, 1);
    await app.app.jobs.runOnce('tidy');
    assert.deepEqual(await eventsOf(boss, 'getPerson', person), []);
  });

  test('is an event each time for exports', async () => {
    for (let n = 0; n < 2; n++) {
      assert.deepEqual(await actionsOf(() => boss.expect(200, 'exportEvents')), ['list.exported']);
      assert.deepEqual(await actionsOf(() => boss.expect(200, 'exportDownloadLog')), ['list.exported']);
    }
  });

  test("is no event where it is refused, or where it is the caller's own", async () => {
    assert.deepEqual(
      await leaves(() => boss.refused(404, 'user.not_found', 'getPerson', { params: { id: idOf(app.admin) } })),
      [],
    );
    assert.deepEqual(await leaves(() => alice.refused(403, 'admin.not_permitted', 'listTransfers')), []);
    assert.deepEqual(await eventsOf(boss, 'getPerson', { params: { id: idOf(boss) } }), []);
    assert.deepEqual(await eventsOf(alice, 'getMessageReceipt', { params: { id: message } }), []);
  });

  test('is in no receipt of the transfer', async () => {
    app.clock.advance(viewWindowMs);
    await eventsOf(boss, 'getTransfer', { params: { reference } });
    const { text } = await alice.expect(200, 'getMessageReceipt', { params: { id: message } });
    assert.doesNotMatch(text, /viewed/);
  });

  test('is an event for a running transfer of another person', async () => {
    app.clock.advance(viewWindowMs);
    assert.deepEqual(await eventsOf(boss, 'getOverview'), []);
    await alice.expect(200, 'uploadForLink', {
      query: { filename: 'big.bin', chunks: '2', chunk: '0' },
      bytes: 'half',
    });
    const [seen] = await eventsOf(boss, 'getOverview');
    assert.deepEqual([seen!.action, seen!.object], ['list.viewed', 'running']);
  });
});
