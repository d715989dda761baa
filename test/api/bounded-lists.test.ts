// No rows are needed: these tests check the limits of the statements. Lists with pages ask for one row more than they return.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { EndpointName } from '#contract/endpoints.ts';
import { onOneEngine } from '#test/kit/app.ts';
import type { ApiClient, CallOptions } from '#test/kit/client.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { assertInside } from '#test/kit/outside.ts';
import { newPerson, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

onOneEngine('A list', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  let messageId: string;
  let linkId: string;
  let requestId: string;
  before(async () => {
    alice = await newPerson(app, 'alice');
    const message = { recipients: ['ben@harbour.example'], subject: 'x', attachments: [inlineFile('a.txt', 'a')] };
    messageId = (await sendMessage(alice, message)).id;
    ({ linkId } = await share(alice));
    const request = { recipient: 'ben@harbour.example' };
    const { body } = await alice.expect(200, 'createFileRequest', { body: { request } });
    requestId = (body as { request: { id: string } }).request.id;
  });

  /** The limits of all statements of a call, except of those that want a single row. */
  async function limitsOf(who: ApiClient, name: EndpointName, options: CallOptions = {}): Promise<number[]> {
    assertInside();
    const executor = app.app.ctx.db.read.getExecutor();
    const run = executor.executeQuery;
    const limits: number[] = [];
    executor.executeQuery = (query, given) => {
      for (const { index } of query.sql.matchAll(/ limit \?/g)) {
        const before = query.sql.slice(0, index).split('?').length - 1;
        limits.push(Number(query.parameters[before]));
      }
      return run.call(executor, query, given) as ReturnType<typeof run<never>>;
    };
    try {
      await who.expect(200, name, options);
    } finally {
      executor.executeQuery = run;
    }
    return limits.filter((limit) => limit !== 1).sort((a, b) => a - b);
  }

  const assertLimits = async (
    who: ApiClient,
    expected: Partial<Record<EndpointName, number[]>>,
    options: CallOptions = {},
  ) => {
    const found: Partial<Record<string, number[]>> = {};
    for (const name of Object.keys(expected) as EndpointName[]) found[name] = await limitsOf(who, name, options);
    assert.deepEqual(found, expected);
  };

  test('of own items has a page of 25, and items of one parent are shown up to a limit', async () => {
    const pages: EndpointName[] = [
      'listAppFiles',
      'listAppLinks',
      'listAppRequests',
      'listReceived',
      'listSentMessages',
    ];
    await assertLimits(alice, Object.fromEntries(pages.map((name) => [name, [25]])));
    await assertLimits(alice, Object.fromEntries(pages.map((name) => [name, [7]])), { query: { size: '7' } });
    await assertLimits(alice, { listContacts: [2000, 2000], listSessions: [200], listSignIns: [50] });
    await assertLimits(
      alice,
      { getSentMessage: [50, 2001], getExposure: [2001], getMessageReceipt: [250, 250, 1001, 5000, 5000] },
      { params: { id: messageId, address: 'ben@harbour.example' } },
    );
    await assertLimits(
      alice,
      { getAppLink: [25], getLinkReceipt: [250, 250, 1001, 5000, 5000] },
      { params: { id: linkId } },
    );
    await assertLimits(
      alice,
      { getAppRequest: [4, 100, 100, 100], getRequestReceipt: [250, 250, 1000, 5000] },
      { params: { id: requestId } },
    );
  });

  test('of the console has a page of 50, of mails one of 25, and reads one more row to detect a next page', async () => {
    const pages: EndpointName[] = ['listDownloadLog', 'listEvents', 'listPeople', 'listStatements'];
    await assertLimits(app.admin, Object.fromEntries(pages.map((name) => [name, [51]])));
    await assertLimits(app.admin, Object.fromEntries(pages.map((name) => [name, [8]])), { query: { size: '7' } });
    await assertLimits(app.admin, { listTransfers: [51, 51, 51], listMails: [26] });
    await assertLimits(app.admin, { listTransfers: [8, 8, 8], listMails: [8] }, { query: { size: '7' } });
    await assertLimits(app.admin, { listGroupHistory: [51] }, { params: { id: 'local-users' } });
  });

  test('of the console without pages is limited too', async () => {
    await assertLimits(app.admin, {
      getOverview: [20, 50, 50, 200],
      getScanner: [200],
      getStorageOverview: [50, 50],
      listClients: [5000],
      listHolds: [1000],
      listLocks: [500, 500, 500, 500, 500, 500, 500, 500],
      listMailRefusals: [10_000],
      listOutside: [200],
      listQuarantine: [500],
      listTasks: [50],
    });
  });
});
