import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { exposureStatement } from '#contract/admin/statements.ts';
import { personExport } from '#contract/admin/user-actions.ts';
import type { EndpointName } from '#contract/endpoints.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient, CallOptions } from '#test/kit/client.ts';
import { codeIn, openMailbox } from '#test/kit/mailbox.ts';
import { fileUrlOf, inlineFile, newPerson, sendMessage } from '#test/kit/messages.ts';
import { referenceOf } from '#test/kit/references.ts';
import { idOf, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '#test/kit/wire-form.ts';

onEachDatabase('transfers of people above the caller', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  const ben = 'ben@harbour.example';
  let alice: ApiClient;
  let bob: ApiClient;
  let boss: ApiClient;
  let chief: ApiClient;
  /** References of transfers that `boss` must not see, and of the one that they may. */
  const above: string[] = [];
  let below = '';

  const exposure = { from: '2026-11-01', to: '2026-12-31' };
  const stateExposure = async (who: ApiClient, about: Record<string, unknown>) => {
    const { body } = await who.expect(200, 'stateExposure', { body: { exposure: { ...exposure, ...about } } });
    return (body as { statement: (typeof exposureStatement)['_zod']['input'] }).statement;
  };
  const exportOf = async (who: ApiClient, id: string) =>
    wireForm(
      personExport,
      ((await who.expect(200, 'exportPerson', { params: { id } })).body as { export: unknown }).export,
    );

  async function send(from: ApiClient, ...recipients: string[]): Promise<string> {
    const message = { recipients, subject: 'Plans', send_email: false, attachments: [inlineFile('plan.txt', 'plan')] };
    return (await sendMessage(from, message)).id;
  }

  before(async () => {
    alice = await newPerson(app, 'alice');
    bob = await newPerson(app, 'bob');
    boss = await newPerson(app, 'boss', { group: 'administrators' });
    chief = await newPerson(app, 'chief', { group: 'administrators' });
    const sent = [await send(app.admin, alice.email, ben), await send(chief, alice.email)];
    for (const id of [...sent, (await share(app.admin)).linkId]) above.push((await referenceOf(app, id)).reference);
    const fromBob = await send(bob, alice.email);
    below = (await referenceOf(app, fromBob)).reference;
    const request = { recipient: alice.email, subject: 'Drawings', message: '', send_email: false };
    const asked = await app.admin.expect(200, 'createFileRequest', { body: { request } });
    const requestId = (asked.body as { request: { id: string } }).request.id;
    above.push((await referenceOf(app, requestId)).reference);
    for (const id of [...sent, fromBob]) {
      const path = await fileUrlOf(alice, id);
      await (await fetch(app.url + path, { headers: { authorization: `Bearer ${alice.key}` } })).arrayBuffer();
    }
    // An outside person proves their address for the message of the System Administrator.
    const visitor = new Browser(app.url);
    const target = `message:${sent[0]}`;
    await visitor.submit('/verify/address', { target, address: ben });
    const [mail] = await mailbox.postTo(app, ben);
    assert.equal((await visitor.submit('/verify/code', { target, code: codeIn(mail!) })).status, 303);
  });

  test('are not in statements about exposure, which say how many were left out', async () => {
    for (const about of [{ user: alice.email }, { address: alice.email }, { api_key: alice.key }]) {
      const { findings } = await stateExposure(boss, about);
      assert.deepEqual(
        findings.reachable.list.map(({ id }) => id),
        [below],
      );
      assert.ok(findings.left.list.every(({ id }) => id === below));
      assert.deepEqual(findings.left_out, { transfers: 3, downloads: 2 });
      assert.deepEqual([findings.reachable.transfers, findings.left.downloads], [1, 1]);
    }
    const { findings } = await stateExposure(app.admin, { user: alice.email });
    assert.deepEqual([findings.reachable.transfers, findings.left.downloads], [4, 3]);
    assert.deepEqual(findings.left_out, { transfers: 0, downloads: 0 });
  });

  test('keep statements that name them from administrators', async () => {
    const whole = await stateExposure(app.admin, { user: alice.email });
    await boss.refused(404, 'statement.not_found', 'getStatement', { params: { id: whole.id } });
    const own = await stateExposure(boss, { user: alice.email });
    await boss.expect(200, 'getStatement', { params: { id: own.id } });
    await chief.expect(200, 'getStatement', { params: { id: own.id } });
    const listed = (await boss.expect(200, 'listStatements')).text;
    assert.ok(listed.includes(own.id) && !listed.includes(whole.id));
  });

  test('are not in the export of a person, which says how many were left out', async () => {
    const whole = await exportOf(app.admin, idOf(alice));
    assert.deepEqual([whole.messages_received.length, whole.requests.length, whole.left_out], [3, 1, 0]);
    const limited = await exportOf(boss, idOf(alice));
    assert.deepEqual(
      limited.messages_received.map(({ id }) => id),
      [below],
    );
    assert.deepEqual([limited.requests.length, limited.left_out], [0, 3]);
    assert.equal(limited.downloads.length, 1);
    assert.equal((await exportOf(chief, idOf(chief))).left_out, 0);
  });

  test('are in no answer of the console', async () => {
    const person = { id: idOf(alice) };
    const filter = { person: alice.email };
    const calls: [EndpointName, CallOptions][] = [
      ['listTransfers', {}],
      ['listTransfers', { query: { recipient: alice.email } }],
      ['listOutside', {}],
      ['listEvents', { query: { size: '100' } }],
      ['exportEvents', {}],
      ['listDownloadLog', {}],
      ['listDownloadLog', { query: { recipient: alice.email } }],
      ['getDownloadFigures', {}],
      ['exportDownloadLog', {}],
      ['listStatements', {}],
      ['listHolds', {}],
      ['listTasks', {}],
      ['getOverview', {}],
      ['getPerson', { params: person }],
      ['exportPerson', { params: person }],
      ['planErasure', { params: person }],
      ['bulkTransfers', { body: { bulk: { action: 'stop', filter: { recipient: alice.email }, dry_run: true } } }],
      ['bulkTransfers', { body: { bulk: { action: 'stop', filter, dry_run: true } } }],
      // Last, because the log records the filters of the caller.
      ['listEvents', { query: { object: above[0]! } }],
      ['listTransfers', { query: { id: above[0]! } }],
    ];
    for (const [name, options] of calls) {
      const { status, text } = await boss.call(name, options);
      assert.equal(status, 200, `${name} ${text}`);
      for (const reference of above) assert.ok(!text.includes(reference), `${name} ${JSON.stringify(options)}`);
    }
    for (const reference of above) {
      await boss.refused(404, 'transfer.not_found', 'getTransfer', { params: { reference } });
      await boss.refused(404, 'transfer.not_found', 'getTransferReceipt', { params: { reference } });
    }
  });
});
