import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Config, readConfig } from '#server/config.ts';
import type { LockedDb } from '#server/db/schema/schema.ts';
import { insertBackupRun } from '#server/db/system/backup-runs.ts';
import { deleteMeta, setMeta } from '#server/db/system/installation.ts';
import { holdJob } from '#server/db/system/jobs.ts';
import { noteRewritingOwed } from '#server/db/system/rewriting.ts';
import type { Check } from '#server/domain/checks.ts';
import { tokenOf } from '#server/installation/doctor/address.ts';
import {
  checkClocks,
  checkConnections,
  checkHolds,
  checkKeys,
  openExamined,
} from '#server/installation/doctor/database.ts';
import type { Finding } from '#server/installation/doctor/findings.ts';
import { checkListener } from '#server/installation/doctor/listener.ts';
import { checkMailDomain, checkRelay, examineMail, findingsOf, summary } from '#server/installation/doctor/mail.ts';
import { checkStore } from '#server/installation/doctor/storage.ts';
import { keyCheck } from '#server/installation/keys.ts';
import { systemClock } from '#server/lib/clock.ts';
import { createRandom } from '#server/lib/ids.ts';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';

const dayMs = 86_400_000;
const lines = (findings: Finding[]) =>
  findings.map(
    ({ look, state, sentence, cure }) => `${state} ${look}: ${sentence}${cure === null ? '' : ` → ${cure}`}`,
  );

describe('the doctor', () => {
  let app: TestApp;
  let db: TestApp['app']['ctx']['db'];
  let config: Config;
  let folder: string;
  before(async () => {
    const place = await sqliteAndDisk.create('migrated');
    app = await startTestApp(
      { name: 'one place', create: async () => place },
      { environment: { WAYBILL_ROLE: 'web' } },
    );
    ({ db } = app.app.ctx);
    config = readConfig(place.environment);
    folder = await mkdtemp(join(tmpdir(), 'waybill-doctor-'));
  });
  after(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('reports what waits for an operator, and only that', async () => {
    const now = app.clock.now();
    await app.app.jobs.runOnce('seal-events');
    const holds = async (at = now, changes: Partial<Config> = {}) =>
      lines(await checkHolds({ ...config, ...changes }, db, at));
    const [none, ...rest] = await holds();
    assert.deepEqual(rest, []);
    assert.match(none!, /^warn backups: There is no backup made by Waybill\. → Set WAYBILL_BACKUP_DIR/);
    assert.match((await holds(now, { backupDir: '/backups' }))[0]!, /→ waybill-server backup$/);
    const run = { kind: 'backup', startedAt: now - 1000, snapshotId: 's', files: 1, bytes: 1 } as const;
    await db.write((tx) => insertBackupRun(tx, { ...run, finishedAt: now, failure: null }));
    await db.write((tx) =>
      insertBackupRun(tx, { ...run, startedAt: now + 1, finishedAt: now + 1, failure: 'no room' }),
    );
    assert.deepEqual(await holds(), ['ok backups: The last good backup is of today.']);
    assert.deepEqual(await holds(now + dayMs - 1), ['ok backups: The last good backup is of today.']);
    assert.deepEqual(await holds(now + dayMs), ['ok backups: The last good backup is 1 day old.']);
    assert.deepEqual(await holds(now + 7 * dayMs), ['ok backups: The last good backup is 7 days old.']);
    assert.match((await holds(now + 7 * dayMs + 1))[0]!, /^warn backups: The last good backup is 7 days old/);
    await db.write(async (tx) => {
      await setMeta(tx, 'quarantine', 'copied');
      await holdJob(tx, 'seal-events', 'it would remove too much');
      await noteRewritingOwed(tx, Date.UTC(2026, 2, 1));
    });
    const waiting = await holds();
    await db.write(async (tx) => {
      await deleteMeta(tx, 'quarantine');
      await deleteMeta(tx, 'rewriting_owed_since');
      await holdJob(tx, 'seal-events', null);
    });
    assert.match(waiting[0]!, /^warn quarantine: This database was copied .* → waybill-server quarantine --end$/);
    const others = waiting.slice(1, -1).join('\n');
    assert.match(others, /warn erasures: .* erased on 2026-03-01: .* → waybill-server maintenance rewrite$/m);
    assert.match(others, /^warn jobs: seal-events waits for you: it would remove too much → .* waybill-server gc$/m);
  });

  test('compares the permitted connections with those that are opened', async () => {
    const permits = (count: number | null) =>
      checkConnections({ ...config, databaseConnections: 20 }, {
        connectionsPermitted: async () => count,
      } as LockedDb);
    assert.deepEqual(await permits(null), []);
    assert.deepEqual(await checkConnections(config, db), []);
    assert.match(lines(await permits(20))[0]!, /^ok connections: The database permits 20 connections/);
    assert.match(
      lines(await permits(19))[0]!,
      /^fault connections: .* may open 20\. → .*WAYBILL_DATABASE_CONNECTIONS=19/,
    );
  });

  test('checks the key of the database, and reports nothing where there is none to compare', async () => {
    const random = createRandom();
    assert.match(lines(await checkKeys(config, db, random))[0]!, /^ok master key: It belongs to the database/);
    const other = readConfig({ WAYBILL_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') });
    assert.match(
      lines(await checkKeys(other, db, random))[0]!,
      /^fault master key: .* does not belong to this database/,
    );
    const missing = { ...config, masterKeyFile: join(folder, 'no.key') };
    assert.deepEqual(await checkKeys(missing, db, random), []);
    assert.match((await tokenOf(config, db, { random, clock: app.clock }))!, /./);
    const check = await db.read
      .selectFrom('meta')
      .select('value')
      .where('key', '=', keyCheck)
      .executeTakeFirstOrThrow();
    await db.write((tx) => deleteMeta(tx, keyCheck));
    const without = [await checkKeys(config, db, random), await tokenOf(config, db, { random, clock: app.clock })];
    await db.write((tx) => setMeta(tx, keyCheck, check.value));
    assert.deepEqual(without, [[], null]);
  });

  test('compares the clocks, and suggests the correction for each difference', async () => {
    const clock = { now: () => app.clock.now(), monotonic: () => 0 };
    const check = async (aheadMs: number, at = clock) =>
      lines(await checkClocks(db, at, async () => at.now() - aheadMs));
    assert.match((await check(0))[0]!, /^ok clock: \S+Z; the clocks agree\.$/);
    assert.match((await check(3_600_000))[0]!, /^fault clock: .* ahead of .* → timedatectl set-ntp true$/);
    await db.write((tx) => setMeta(tx, 'clock_high_water', String(app.clock.now())));
    const before = { ...clock, now: () => app.clock.now() - 3_600_000 };
    assert.match((await check(0, before))[0]!, /^fault clock: .* has already seen .* → waybill-server clock --mend$/);
  });

  test('opens a database unchanged, and says what to do about one that does not answer', async () => {
    const { db: opened, findings } = await openExamined(config);
    await opened?.close();
    assert.deepEqual(lines(findings), ['ok database: Reachable, and its tables are those of this version.']);
    const unreachable = await openExamined(readConfig({ WAYBILL_DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' }));
    assert.equal(unreachable.db, null);
    assert.match(lines(unreachable.findings)[0]!, /^fault database: .* → Start PostgreSQL, or correct host and port/);
  });

  test('distinguishes a store that was not used yet from one whose files are missing', async () => {
    await app.admin.upload('file.bin', 'bytes');
    const check = async (storageDir: string, inside: LockedDb | null = db) =>
      lines(await checkStore({ ...config, storageDir }, inside))[0]!;
    const none = join(folder, 'nothing');
    assert.equal(await check(none, null), `ok store: ${none} was not used yet.`);
    assert.match(await check(none), /^fault store: .* has none of the files of this database\. → Mount the folder/);
    const { storageDir } = config;
    assert.equal(await check(storageDir, null), `ok store: ${storageDir} can be reached.`);
    assert.equal(await check(storageDir), `ok store: ${storageDir} can be reached and belongs to this installation.`);
    const later = { ...db, read: db.read };
    await db.write((tx) => setMeta(tx, 'store_beat', '-3'));
    const older = await check(storageDir, later);
    await db.write((tx) => setMeta(tx, 'store_beat', '0'));
    assert.match(older, /^warn store: The store has seen a later state .* → waybill-server quarantine$/);
  });

  test('reports who answers where the service listens', async () => {
    const { hostname, port } = new URL(app.url);
    const check = async (listen: Config['listen'], role: Config['role'] = 'all') =>
      lines(await checkListener({ listen, role }));
    const at = (number: number) => ({ kind: 'port', host: '0.0.0.0', port: number }) as const;
    assert.deepEqual(await check({ kind: 'port', host: hostname, port: Number(port) }), [
      `ok service: It answers at ${hostname}:${port} and is ready.`,
    ]);
    assert.deepEqual(await check(at(1), 'jobs'), []);
    assert.match(
      (await check(at(1)))[0]!,
      /^warn service: Nothing listens at 0\.0\.0\.0:1: the service is not running/,
    );
    const socket = { kind: 'socket', path: join(folder, 'no.sock') } as const;
    assert.match((await check(socket))[0]!, /^warn service: Nothing listens at .*no\.sock/);
    let [status, body] = [503, '{"status":"failing","failing":["storage","mail"]}'];
    const other = createServer((request, response) => {
      if (body === '') request.socket.destroy();
      else response.writeHead(status).end(body);
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const there = at((other.address() as { port: number }).port);
    try {
      assert.match((await check(there))[0]!, /^fault service: It answers at .* and is not ready: storage, mail\./);
      body = '{"status":"starting"}';
      assert.match((await check(there))[0]!, /and is not ready: starting\./);
      [status, body] = [200, '{"hello":"world"}'];
      assert.match((await check(there))[0]!, /^fault service: Another program answers at /);
      body = '';
      assert.match((await check(there))[0]!, /^fault service: Something at .* does not answer/);
    } finally {
      other.close();
    }
  });

  test('summarises the steps to the mail server: the fault, or else the last step', async () => {
    const step = (code: Check['code'], state: Check['state']): Check => ({
      check: 'connect',
      state,
      code,
      values: { host: 'mail.example', port: 25, seconds: 8 },
    });
    const states = (...checks: Check[]) =>
      summary('mail', checks).map(({ state, sentence }) => `${state}: ${sentence}`);
    const resolved = step('smtp.host_unknown', 'passed');
    const connected = step('smtp.refused', 'passed');
    const [skipped, warned] = [step('smtp.not_reached', 'skipped'), step('smtp.local', 'warning')];
    const failed = step('smtp.silent', 'failed');
    assert.deepEqual(states(), []);
    assert.deepEqual(states(skipped), []);
    assert.deepEqual(states(resolved, connected, skipped), states(connected));
    assert.deepEqual(states(resolved, warned, failed, skipped), [...states(warned), ...states(failed)]);
    assert.deepEqual(
      [connected, warned, failed].flatMap((check) => findingsOf('mail', check)).map(({ state }) => state),
      ['ok', 'warn', 'fault'],
    );
    assert.equal(findingsOf('mail', connected)[0]!.cure, null);
    const record = { name: 'example.com', type: 'TXT', value: 'v=spf1' } as const;
    assert.match(findingsOf('mail', { ...failed, record })[0]!.cure!, / example\.com TXT "v=spf1"$/);
    assert.doesNotMatch(findingsOf('mail', { ...failed, record: { ...record, value: '' } })[0]!.cure!, /TXT/);
    const mail = await examineMail(config, null, { random: createRandom(), clock: systemClock() });
    assert.match(
      lines(await checkRelay(config, mail))[0]!,
      /^warn mail: There is no mail server: mails wait, and are files in /,
    );
    assert.deepEqual(await checkMailDomain(config, mail), []);
    assert.deepEqual(findingsOf('mail', skipped), []);
  });
});
