import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Endpoint, type EndpointName, endpoints } from '#contract/endpoints.ts';
import { holds, type Right, type Role } from '#server/domain/roles.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { callsOf, consoleCalls, type Given } from '#test/kit/console-calls.ts';
import { type Got, send } from '#test/kit/http.ts';
import { browserOf } from '#test/kit/messages.ts';
import { referenceOf } from '#test/kit/references.ts';
import { openRecording, password, playScene, type Scene } from '#test/kit/secret-scene.ts';
import { secretsIn } from '#test/kit/secrets.ts';
import { useApp } from '#test/kit/use-app.ts';

const adminPassword = 'quiet river under seven lamps';
const isPlainRead = ({ method, path, body }: Endpoint) => method === 'GET' && body === undefined && !/[:*]/.test(path);

onEachDatabase('the secret id of a transfer', (start) => {
  const recording = openRecording();
  const app = useApp(start, recording.options);
  let scene: Scene;
  before(async () => {
    scene = await playScene(app, recording);
  });
  const readers = (): [Role, ApiClient][] => [
    ['system_administrator', app.admin],
    ['administrator', scene.boss],
    ['auditor', scene.vera],
  ];

  async function ask(who: ApiClient, path: string, { body, bytes, method = 'GET' }: Given & { method?: string }) {
    return send(`${app.url}${path}`, {
      method,
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from(`${who.key}:x`).toString('base64')}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(bytes === undefined ? {} : { body: bytes as string }),
    });
  }

  /** All faults in the answers, so that one run reports each of them. */
  let faults: string[] = [];
  const assertNoFault = () => {
    const found = faults;
    faults = [];
    assert.deepEqual(found, []);
  };

  function findSecrets({ headers, bytes }: Got, name: string): void {
    const found = [...secretsIn(JSON.stringify([...headers]), scene.secrets), ...secretsIn(bytes, scene.secrets)];
    for (const secret of found) {
      const text = bytes.toString('latin1');
      const at = text.indexOf(secret);
      faults.push(`${name} has ${secret}${at < 0 ? '' : `: ${text.slice(Math.max(0, at - 150), at + 30)}`}`);
    }
  }

  async function tryCall(who: ApiClient, name: EndpointName, call: Given): Promise<void> {
    const { path, method }: Endpoint = endpoints[name];
    const filled = path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(call.params?.[key] ?? ''));
    const query = call.query === undefined ? '' : `?${new URLSearchParams(call.query as Record<string, string>)}`;
    const reply = await ask(who, `${filled}${query}`, { ...call, method });
    const title = `${name} for ${who.email}`;
    // Administrators and auditors may be refused what a System Administrator sees.
    const isRight = who === app.admin ? reply.status === (call.status ?? 200) : reply.status < 500;
    if (!isRight) faults.push(`${title} answers ${reply.status}: ${reply.bytes.toString().slice(0, 300)}`);
    findSecrets(reply, title);
  }

  const callsMade = async (name: EndpointName): Promise<Given[]> => [
    ...(isPlainRead(endpoints[name]) && !needsQuery.has(name) ? [{}] : []),
    ...((await callsOf[name]?.(scene)) ?? []),
  ];

  async function tryReads(): Promise<void> {
    for (const [name, { method, right }] of consoleCalls)
      if (method === 'GET')
        for (const call of await callsMade(name))
          for (const [role, who] of readers())
            if (holds({ role, policy: { can_invite_users: false } }, right as Right)) await tryCall(who, name, call);
  }

  test('is found by the test itself where an owner reads', async () => {
    const reply = await ask(scene.alice, '/link', {});
    assert.ok(secretsIn(reply.bytes, scene.secrets).includes(scene.link));
  });

  test('is searched for in every call of the console', () => {
    for (const [name, endpoint] of consoleCalls)
      assert.ok(
        isPlainRead(endpoint) || callsOf[name] !== undefined,
        `test/kit/console-calls.ts has no line for ${name}`,
      );
  });

  test('is in no answer, export or document that administrators and auditors read', async () => {
    await tryReads();
    assertNoFault();
  });

  test('is in no answer to a change, and in no later answer', async () => {
    for (const name of Object.keys(callsOf) as EndpointName[])
      if (endpoints[name].method !== 'GET')
        for (const call of await callsMade(name)) await tryCall(app.admin, name, call);
    await app.app.jobs.runOnce('send-outbox');
    await app.app.jobs.runOnce('seal-events');
    await tryReads();
    assertNoFault();
  });

  test('is in no receipt or certificate that is requested with an id', async () => {
    const { messages, link, request, erased } = scene;
    const places = [
      `/message/${messages[1]}/receipt`,
      `/message/${messages[3]}/receipt`,
      `/link/${link}/receipt`,
      `/link/${link}/receipt?format=pdf`,
      `/requests/${request}/receipt`,
      `/attachments/${erased}/deletion`,
      `/attachments/${erased}/deletion?format=pdf`,
    ];
    for (const [, who] of readers())
      for (const place of places) {
        const reply = await ask(who, place, {});
        assert.equal(reply.status, 200, `${place}: ${reply.bytes}`);
        findSecrets(reply, `${place} for ${who.email}`);
      }
    assertNoFault();
  });

  test('is in no tile of the evidence log', async () => {
    const { body } = await app.admin.expect(200, 'getEvidence');
    const { size } = (body as { evidence: { size: number } }).evidence;
    assert.ok(size > 0);
    for (const end of size < 256 ? [`000.p/${size}`] : ['000', `001.p/${size % 256}`])
      for (const kind of ['0', 'entries']) {
        const reply = await ask(scene.vera, `/evidence/tile/${kind}/${end}`, {});
        assert.equal(reply.status, 200, reply.bytes.toString());
        findSecrets(reply, `${kind}/${end}`);
      }
    assertNoFault();
  });

  test('is in no page of the console', async () => {
    for (const [email, secret] of [
      [app.admin.email, adminPassword],
      [scene.boss.email, password],
      [scene.vera.email, password],
    ] as const) {
      const browser = await browserOf(app, email, secret);
      for (const screen of [
        '',
        '/overview',
        '/transfers',
        '/activity',
        '/downloads',
        '/mail',
        '/people',
        '/evidence',
      ]) {
        const { status, headers, bytes } = await browser.get(`/app/admin${screen}`);
        assert.equal(status, 200);
        findSecrets({ status, headers, bytes }, `/app/admin${screen} for ${email}`);
      }
    }
    assertNoFault();
  });

  test('is in no mail to an administrator or auditor', async () => {
    const { read } = app.app.ctx.db;
    const ids: string[] = [];
    for (const table of ['messages', 'file_links', 'file_requests'] as const)
      ids.push(...(await read.selectFrom(table).select('id').execute()).map(({ id }) => id));
    const addresses = [scene.chief.email, ...readers().map(([, { email }]) => email)];
    const mails = recording.mails.filter(({ to }) => addresses.includes(to));
    for (const quoted of ['554 5.7.1', 'reported http'])
      assert.ok(JSON.stringify(mails).includes(quoted), `no mail has: ${quoted}`);
    for (const mail of mails) assert.deepEqual(secretsIn(JSON.stringify(mail), ids), [], mail.subject);
  });

  test('is in no line of the server log', () => {
    const { lines } = recording;
    for (const sentence of ['a request has ended', 'a stored file is missing', 'a mail could not be composed'])
      assert.ok(
        lines.some((line) => line.includes(sentence)),
        sentence,
      );
    for (const line of lines) assert.deepEqual(secretsIn(line, scene.secrets), [], line);
  });

  test('is neither the reference of a transfer nor the id of a file', async () => {
    const { link, messages, request, attachment } = scene;
    const browser = await browserOf(app, scene.vera.email, password);
    const names = await Promise.all([link, messages[0]!, request].map((id) => referenceOf(app, id)));
    for (const name of [...names.map(({ reference }) => reference), attachment])
      for (const place of ['link', 'message', 'requests', 'delivered', 'filedrop']) {
        const { status } = await browser.get(`/${place}/${name}`);
        assert.equal(status, 404, `/${place}/${name}`);
      }
    for (const place of ['attachments', 'attachment', 'message/attachments']) {
      const reply = await ask(app.admin, `/${place}/${attachment}`, { method: 'DELETE' });
      assert.ok(reply.status >= 400 && reply.status < 500, `/${place}: ${reply.status}`);
    }
  });

  test('is returned to its owner', async () => {
    const { alice, messages } = scene;
    const [id] = messages;
    for (const path of ['/messages/sent', '/app-api/messages', `/message/${id}/receipt`]) {
      const { bytes } = await ask(alice, path, {});
      assert.deepEqual(secretsIn(bytes, [id!]), [id], path);
    }
  });
});

/** These are refused without a query. */
const needsQuery: ReadonlySet<EndpointName> = new Set(['getApiKey', 'searchConsole', 'whichGroup']);
