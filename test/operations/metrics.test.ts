// Metrics of two workers in a real Prometheus, with the shipped alert rules and dashboard.
import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { systemEndpoints } from '#contract/admin/system.ts';
import { repositoryRoot } from '#scripts/source-files.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/eventually.ts';
import { createInstallation, type Installation, type Program } from '#test/kit/program.ts';
import { findTestServers } from '#test/kit/servers/addresses.ts';
import { freePorts } from '#test/kit/servers/child.ts';
import { type Prometheus, promtool, startPrometheus } from '#test/kit/servers/prometheus.ts';
import { wireForm } from '#test/kit/wire-form.ts';

const token = 'a-token-for-scraping-alone';
const folder = join(repositoryRoot, 'docs/operate/monitoring');
const rules = join(folder, 'alerts.yml');
const nameOfFigure = /\b(?:waybill|process)_[a-z_]+\b/g;

describe('metrics', { skip: findTestServers() === null && 'without servers' }, () => {
  let place: Installation;
  let program: Program;
  let prometheus: Prometheus;
  let address: string;
  let backups: string;
  before(async () => {
    const [port] = await freePorts(1);
    address = `127.0.0.1:${port}`;
    place = await createInstallation(sqliteAndDisk, {
      WAYBILL_METRICS_LISTEN: address,
      WAYBILL_METRICS_TOKEN: token,
      WAYBILL_SMTP_URL: 'smtp://127.0.0.1:1',
    });
    backups = `${place.environment.WAYBILL_DATA_DIR}-backups`;
    const scheduled = { WAYBILL_BACKUP_DIR: backups, WAYBILL_BACKUP_DRILL: '1s' };
    program = await place.start({ environment: scheduled });
    await makeBackupAndLoseIt();
    prometheus = await startPrometheus({ target: address, token, rules });
  });
  after(async () => {
    await prometheus?.stop();
    await place?.drop();
    await rm(backups, { recursive: true, force: true });
  });

  /** A successful backup, and a failing job: the restore test finds nothing to restore. */
  const makeBackupAndLoseIt = async () => {
    const run = async (name: string) => {
      const { body } = await place.admin.expect(200, 'runJob', { params: { name }, body: { run: {} } });
      return wireForm(systemEndpoints.runJob.answer, body).job;
    };
    await eventually('a backup is there', async () => (await run('back-up')).last_run_at !== null);
    await rm(backups, { recursive: true });
    await eventually('a restore test has failed', async () => (await run('restore-drill')).failures > 0);
  };

  const scrape = async () => {
    const reply = await fetch(`http://${address}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(reply.status, 200);
    assert.match(reply.headers.get('content-type')!, /^text\/plain; version=0\.0\.4/);
    return reply.text();
  };
  /** With the one that is only served if the public address has a certificate. */
  const servedNames = async () =>
    new Set([...(await scrape()).match(nameOfFigure)!, 'waybill_certificate_end_timestamp_seconds']);
  /** The value of a line, or the sum of those with this prefix. */
  const figure = async (beginning: string) => {
    const lines = (await scrape()).split('\n').filter((line) => line.startsWith(beginning));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  };
  const accounts = 'waybill_http_requests_total{method="GET",route="/account",status="200"}';
  /** Each on its own connection, so that both workers get some. */
  const askTwenty = () =>
    Promise.all(
      Array.from({ length: 20 }, async () => {
        const headers = { connection: 'close', authorization: `Bearer ${place.admin.key}` };
        const reply = await fetch(`${place.url}/account`, { headers });
        await reply.arrayBuffer();
        assert.equal(reply.status, 200);
      }),
    );

  test('need the token, and are served only at their own address', async () => {
    assert.equal((await fetch(`http://${address}/metrics`)).status, 401);
    const wrong = { authorization: 'Bearer something-else-of-this-sort' };
    assert.equal((await fetch(`http://${address}/metrics`, { headers: wrong })).status, 401);
    assert.equal((await fetch(`http://${address}/`)).status, 404);
    assert.equal((await fetch(`${place.url}/metrics`, { headers: { accept: 'application/json' } })).status, 404);
  });

  test('are summed over the workers', async () => {
    // A busy worker or readiness check may miss one scrape.
    await eventually('both workers reply', async () => (await figure('waybill_workers ')) === 2);
    const before = await figure(accounts);
    await askTwenty();
    await eventually('twenty more requests are counted', async () => (await figure(accounts)) === before + 20);
    await eventually(
      'amounts of the installation appear once, not once for each worker',
      async () => (await figure('waybill_ready ')) === 1,
    );
  });

  test('count what people do', async () => {
    const bytes = Buffer.alloc(300_000, 7);
    const file = await place.admin.upload('figures.bin', bytes);
    await place.admin.expect(200, 'createFileLink', { body: { link: { attachment: file.id } } });
    await place.admin.expect(200, 'sendMessage', {
      body: {
        message: {
          recipients: ['sam@example.com'],
          subject: 'Figures',
          message: 'Here.',
          attachments: [file.id],
          send_email: true,
        },
      },
    });
    await fetch(`${place.url}/account`, { headers: { authorization: 'Bearer WrongKeyWrongKeyWrong0' } });
    const login = { user: { email: 'root@example.com', password: 'not the right one' } };
    await fetch(`${place.url}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(login),
    });
    assert.equal(await figure('waybill_upload_bytes_total '), bytes.length);
    assert.equal(await figure('waybill_uploads_active '), 0);
    assert.equal(await figure('waybill_messages_sent_total '), 1);
    assert.equal(await figure('waybill_auth_failures_total{kind="api_key"}'), 1);
    assert.equal(await figure('waybill_auth_failures_total{kind="password"}'), 1);
    await eventually('a mail could not be handed over', async () => (await figure('waybill_mail_failures_total')) > 0);
    await eventually('the link and the mails are there', async () => {
      const [links, mails, kept] = [
        await figure('waybill_links_active '),
        await figure('waybill_mail_queue_depth '),
        await figure('waybill_storage_used_bytes '),
      ];
      return links === 1 && mails > 0 && kept === bytes.length;
    });
  });

  test('contain the last successful backup, and failing jobs by name', async () => {
    const age = Date.now() / 1000 - (await figure('waybill_last_backup_timestamp_seconds '));
    assert.ok(age >= 0 && age < 3600, `${age} seconds`);
    assert.ok((await figure('waybill_jobs_failed_total{name="restore-drill"}')) > 0);
    assert.equal(await figure('waybill_jobs_failed_total{name="back-up"}'), 0);
  });

  test('hold no address, name or id in a label', async () => {
    const text = await scrape();
    assert.doesNotMatch(text, /example\.com|figures\.bin|root@|127\.0\.0\.1/);
    assert.match(text, /route="\/link\/:id"|route="\/account"/, 'a route is its pattern');
  });

  test('every query of the dashboard has a result in Prometheus, and every metric it names is served', async () => {
    const dashboard = JSON.parse(await readFile(join(folder, 'dashboard.json'), 'utf8')) as {
      panels: { title: string; targets: { expr: string }[] }[];
    };
    const served = await servedNames();
    for (const { title, targets } of dashboard.panels) {
      for (const { expr } of targets) {
        const query = expr.replaceAll('$job', 'waybill').replaceAll('$__rate_interval', '1m');
        for (const name of query.match(nameOfFigure) ?? [])
          assert.ok(served.has(name), `${title}: ${name} is not served`);
        await eventually(`${title} shows something`, async () => (await prometheus.query(query)).length > 0);
      }
    }
  });

  test('the alert rules pass promtool, name served metrics, and stay silent without a fault', async () => {
    assert.match(await promtool('check', 'rules', rules), /12 rules found/);
    await promtool('check', 'config', join(folder, 'prometheus.yml'));
    const text = await readFile(rules, 'utf8');
    const served = await servedNames();
    for (const name of text.match(/\bwaybill_[a-z_]+\b/g)!) assert.ok(served.has(name), `${name} is not served`);
    assert.deepEqual(await prometheus.query('ALERTS{alertname="WaybillNotReady"}'), []);
  });

  test('do not go down when a worker dies, and the new one continues to count', async () => {
    const start = await figure(accounts);
    await askTwenty();
    const before = start + 20;
    await eventually('all are counted', async () => (await figure(accounts)) === before);
    const workers = (await program.members()).filter(({ parent }) => parent === program.child.pid);
    process.kill(workers[0]!.pid, 'SIGKILL');
    await eventually('there are two workers again', async () => (await figure('waybill_workers ')) === 2);
    assert.ok((await figure(accounts)) >= before, 'what the dead one had counted is kept');
    await askTwenty();
    await eventually('twenty more', async () => (await figure(accounts)) === before + 20);
  });

  test('a machine that is down raises an alert', async () => {
    program.signal('SIGTERM');
    await program.exited;
    await eventually(
      'Prometheus notices',
      async () => (await prometheus.query('ALERTS{alertname="WaybillDown"}')).length === 1,
    );
  });
});
