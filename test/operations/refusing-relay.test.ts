// A relay that signs us in and then refuses every mail: the log, the doctor, the console and the metrics say so at once.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { findInstallationAmounts } from '#server/actions/system/metrics.ts';
import { readConfig } from '#server/config.ts';
import { checkHolds } from '#server/installation/doctor/database.ts';
import { createLog } from '#server/lib/log.ts';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/eventually.ts';
import { newPerson, sendMessage } from '#test/kit/messages.ts';
import { startRelay, type TestRelay } from '#test/kit/smtp-relay.ts';

describe('a relay that refuses everything', () => {
  let app: TestApp;
  let relay: TestRelay;
  let refusal: { text: string; responseCode: number } | null = null;
  let environment: Record<string, string>;
  const lines: { check?: string; msg: string }[] = [];
  const log = createLog(
    { level: 'info', format: 'json' },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  before(async () => {
    relay = await startRelay({
      onMailFrom: (_address, _session, done) =>
        refusal === null
          ? done()
          : done(Object.assign(new Error(refusal.text), { responseCode: refusal.responseCode })),
    });
    const place = await sqliteAndDisk.create('migrated');
    environment = { ...place.environment, WAYBILL_SMTP_URL: `smtp://127.0.0.1:${relay.port}` };
    app = await startTestApp({ name: 'one place', create: async () => ({ ...place, environment }) }, { log });
  });
  after(async () => {
    await app.close();
    await relay.close();
  });

  const facts = async () => {
    const { body } = await app.admin.expect(200, 'getOverview');
    const topics = (body as { overview: { attention: { topic: string }[] } }).overview.attention;
    const findings = await checkHolds(readConfig(environment), app.app.ctx.db, app.clock.now());
    return {
      console: topics.map(({ topic }) => topic).filter((topic) => topic.startsWith('mail-')),
      doctor: findings.filter(({ look }) => look === 'mail').map(({ sentence, said }) => `${sentence} ${said}`),
      // The metric itself is cached for seconds.
      metric: (await findInstallationAmounts(app.app.ctx)).unacceptedMails,
      log: lines.filter(({ check }) => check === 'mail').map(({ msg }) => msg),
    };
  };

  for (const [kind, code, topic] of [
    ['for good', 550, 'mail-refused'],
    ['for now', 451, 'mail-waiting'],
  ] as const)
    test(`${kind} is a fault after three mails, and not after one that was accepted`, async () => {
      const alice = await newPerson(app, `alice-${code}`);
      refusal = { text: '5.7.1 Client host rejected', responseCode: code };
      const recipients = ['ben@quay.example', 'kim@pier.example', 'lee@harbour.example'];
      await sendMessage(alice, { recipients, send_email: true, bcc_myself: false });
      await eventually('the relay has refused them', async () => {
        await app.app.jobs.runOnce('send-outbox');
        return lines.some(({ check }) => check === 'mail') && (await facts()).console.includes(topic);
      });
      const found = await facts();
      assert.match(
        found.doctor.join('\n'),
        /^The relay accepts no mail: the last \d+ were not taken\. .*Client host rejected/,
      );
      assert.ok(found.metric >= 3, String(found.metric));
      assert.equal(found.log.length, 1);
      assert.match(found.log[0]!, /accepts no mail: the last \d+ were not taken \(.*Client host rejected/);
      refusal = null;
      app.clock.advance(60 * 60_000);
      await eventually('mail is accepted again', async () => {
        await sendMessage(alice, { recipients: ['mia@quay.example'], send_email: true, bcc_myself: false });
        await app.app.jobs.runOnce('send-outbox');
        return lines.some(({ msg }) => msg === 'mail: works again');
      });
      const later = await facts();
      assert.deepEqual([later.doctor, later.metric], [[], 0]);
      lines.length = 0;
    });
});
