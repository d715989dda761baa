// What the doctor says about webhooks, the syslog server, the file of events, witnesses and Microsoft Graph.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { deliverWebhooks } from '#server/actions/event-receivers/deliver-webhooks.ts';
import { listVerifiers } from '#server/actions/evidence/log.ts';
import { sealAll } from '#server/actions/evidence/seal.ts';
import { readConfig } from '#server/config.ts';
import { saveStream } from '#server/db/event-receivers/streams.ts';
import { emptyMailSetup } from '#server/domain/mail-settings.ts';
import {
  checkEventsFile,
  checkSyslog,
  checkWebhooks,
  checkWitnesses,
} from '#server/installation/doctor/event-receivers.ts';
import type { Finding } from '#server/installation/doctor/findings.ts';
import { checkRelay } from '#server/installation/doctor/mail.ts';
import { signatureTypes, signerFromSeed, verifierKey } from '#server/lib/tlog/notes.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { makeCertificate } from '#test/kit/certificate.ts';
import { appendEvents } from '#test/kit/evidence.ts';
import { openSyslogReceiver } from '#test/kit/syslog-receiver.ts';
import { openTestWitness, type TestWitness } from '#test/kit/tlog-witness.ts';
import { startTokenEndpoint } from '#test/kit/token-endpoint.ts';
import { useApp } from '#test/kit/use-app.ts';
import { openWebhookReceiver, type WebhookReceiver } from '#test/kit/webhook-receiver.ts';

const line = ({ state, look, sentence, cure }: Finding) =>
  `${state} ${look}: ${sentence}${cure === null ? '' : ` → ${cure}`}`;
const closedPort = 'https://127.0.0.1:1/events';

onOneEngine('The doctor', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web', WAYBILL_WEBHOOK_NETWORKS: 'loopback' } });
  let folder: string;
  let untrusted: TlsServer;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'waybill-doctor-'));
    const { keyPem, certificatePem } = makeCertificate();
    writeFileSync(join(folder, 'authority.pem'), certificatePem);
    untrusted = createServer({ key: keyPem, cert: certificatePem }, (_request, response) => void response.end());
    await new Promise<void>((resolve) => untrusted.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await new Promise((resolve) => untrusted.close(resolve));
  });
  const portOf = (server: TlsServer) => (server.address() as AddressInfo).port;
  const config = (environment: Record<string, string> = {}) =>
    readConfig({ WAYBILL_WEBHOOK_NETWORKS: 'loopback', ...environment });

  test('names the webhook that does not answer, and the step', async () => {
    const receiver = await openWebhookReceiver();
    const db = () => app.app.ctx.db;
    const say = async (environment: Record<string, string> = {}) =>
      (await checkWebhooks(config(environment), db())).map(line).join('\n');
    assert.equal(await say(), '', 'without webhooks there is nothing to say');
    const create = async (url: string) => {
      const { body } = await app.admin.expect(200, 'createWebhook', {
        body: { webhook: { url, events: ['job.run'] } },
      });
      return (body as { webhook: { id: string } }).webhook.id;
    };
    const change = (id: string, webhook: object) =>
      app.admin.expect(200, 'changeWebhook', { params: { id }, body: { webhook } });
    const id = await create(receiver.url);
    assert.equal(await say(), 'ok webhooks: All receivers of 1 webhook answer.');
    assert.match(
      await say({ WAYBILL_WEBHOOK_NETWORKS: 'none' }),
      /is not a public address\. → .*WAYBILL_WEBHOOK_NETWORKS/,
    );
    await change(id, { url: closedPort });
    assert.match(await say(), /^fault webhooks: The webhook to 127\.0\.0\.1:1: .* refuses connections on port 1/);
    await change(id, { url: `https://localhost:${portOf(untrusted)}/` });
    assert.match(await say(), /issued by an unknown authority\. → Set WAYBILL_CA_FILE/);
    await change(id, { url: receiver.url.replace('http:', 'https:') });
    assert.match(await say(), /does not speak TLS on port/);
    await change(id, { url: receiver.url });
    await fail(receiver);
    assert.match(
      await say(),
      /^warn webhooks: The webhook to \S+ refuses events since 20\S+Z\. → Look at its deliveries/,
    );
    app.clock.advance(3 * 24 * 3_600_000);
    await deliverWebhooks(app.app.ctx);
    assert.match(await say(), /^fault webhooks: The webhook to \S+ was switched off\. → Mend the receiver/);
    await change(id, { enabled: false, url: closedPort });
    assert.equal(await say(), '', 'a person switched it off');
    await receiver.close();
  });

  async function fail(receiver: WebhookReceiver): Promise<void> {
    receiver.answer = (_received, response) => void response.writeHead(500).end();
    await app.app.ctx.db.write((tx) =>
      tx
        .updateTable('webhooks')
        .set({ position: 0, events: JSON.stringify(['*']) })
        .execute(),
    );
    await deliverWebhooks(app.app.ctx);
  }

  test('names the failing step of the connection to the syslog server', async () => {
    const say = async (environment: Record<string, string>) =>
      (await checkSyslog(config(environment), app.app.ctx.db)).map(line).join('\n');
    assert.equal(await say({}), '');
    const receiver = await openSyslogReceiver();
    assert.match(await say({ WAYBILL_SYSLOG_URL: receiver.url }), /^ok syslog: 127\.0\.0\.1:\d+ answers\.$/);
    assert.match(await say({ WAYBILL_SYSLOG_URL: 'tls://logs.invalid' }), /there is no server named logs\.invalid/);
    assert.match(
      await say({ WAYBILL_SYSLOG_URL: 'tcp://127.0.0.1:1' }),
      /refuses connections on port 1\. → .*WAYBILL_SYSLOG_URL/,
    );
    const tls = `tls://localhost:${portOf(untrusted)}`;
    assert.match(await say({ WAYBILL_SYSLOG_URL: tls }), /unknown authority\. → Set WAYBILL_SYSLOG_CA_FILE/);
    const trusted = { WAYBILL_SYSLOG_URL: tls, WAYBILL_SYSLOG_CA_FILE: join(folder, 'authority.pem') };
    assert.match(await say(trusted), /^ok syslog/);
    await failStream('syslog');
    assert.match(await say(trusted), /^warn syslog: Events wait since 20\S+Z/);
    await receiver.close();
  });

  test('says why the file of events cannot be written', async () => {
    const say = async (path: string) =>
      (await checkEventsFile(config({ WAYBILL_EVENTS_FILE: path }), app.app.ctx.db)).map(line).join('\n');
    assert.match(await say(join(folder, 'events.jsonl')), /^ok events file/);
    assert.match(await say(join(folder, 'nowhere/events.jsonl')), /there is no folder .* → mkdir -p/);
    assert.match(await say(folder), /is not a file\. → Set WAYBILL_EVENTS_FILE/);
    await failStream('file');
    assert.match(await say(join(folder, 'events.jsonl')), /^warn events file: Events wait/);
  });

  const failStream = (name: 'syslog' | 'file') =>
    app.app.ctx.db.write((tx) =>
      saveStream(tx, {
        name,
        position: 0,
        attempts: 1,
        firstFailedAt: app.clock.now(),
        nextAt: 0,
        lastError: 'no room',
        deliveredAt: null,
      }),
    );

  test('asks each witness whether it knows the log, and changes nothing there', async () => {
    const signer = signerFromSeed('one.example/w', signatureTypes.witness, Buffer.alloc(32, 1));
    const other = signerFromSeed('one.example/w', signatureTypes.witnessMlDsa, Buffer.alloc(32, 2));
    let witness: TestWitness = await openTestWitness([signer], () => app.clock.now());
    await appendEvents(app.app.ctx, 3);
    await sealAll(app.app.ctx);
    const policy = (signed = signer, url = witness.url, more = '') => {
      const path = join(folder, 'policy');
      writeFileSync(path, `${more}witness w ${verifierKey(signed)} ${url}\nquorum w\n`);
      chmodSync(path, 0o600);
      return config({ WAYBILL_EVIDENCE_WITNESS_POLICY: path });
    };
    const say = async (given = policy()) => (await checkWitnesses(given, app.app.ctx.db)).map(line).join('\n');
    assert.match(await say(), /does not know this log \(404\).* → Give its operator the name and key of this log/);
    witness.logs = await listVerifiers(app.app.ctx);
    assert.match(await say(), /^ok witnesses: 127\.0\.0\.1:\d+ answers and knows this log\.$/);
    assert.deepEqual(witness.signed, []);
    assert.match(
      await say(policy(signer, 'http://127.0.0.1:1')),
      /refuses connections on port 1\. → .*WAYBILL_EVIDENCE_WITNESS_POLICY/,
    );
    const log = `log ${verifierKey(signerFromSeed('other.example', signatureTypes.log, Buffer.alloc(32, 3)))}\n`;
    assert.match(
      await say(policy(signer, witness.url, log)),
      /warn witnesses: The policy file names other logs .* → Add the line: log \S+/,
    );
    witness.fault = { status: 200, body: 'nothing' };
    assert.match(await say(policy(other)), /^fault witnesses/);
    await witness.close();
    witness = await openTestWitness([signer], () => app.clock.now());
    await witness.close();
    assert.match(await say(), /^fault witnesses: .* refuses connections/);
  });

  test('asks for an access token, and reaches Microsoft Graph', async () => {
    const tokens = await startTokenEndpoint();
    const setup = (graphUrl: string) => ({
      ...emptyMailSetup,
      method: 'graph' as const,
      user: 'files@example.com',
      clientId: 'id',
      clientSecret: 'secret',
      tokenUrl: tokens.tokenUrl,
      graphUrl,
    });
    const store = {
      now: () => app.clock.now(),
      find: async () => null,
      claim: async () => true,
      save: async () => {},
      release: async () => {},
    };
    const say = async (graphUrl: string) => {
      const inForce = { setup: setup(graphUrl) } as Parameters<typeof checkRelay>[1]['inForce'];
      return (await checkRelay(config(), { inForce, tokens: store })).map(line).join('\n');
    };
    assert.match(await say(tokens.graphUrl), /^ok mail: An access token was received/);
    assert.match(await say('http://127.0.0.1:1'), /^fault mail: 127\.0\.0\.1 refuses connections on port 1/);
    await tokens.close();
  });
});
