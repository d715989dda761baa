// What the log has about a database that is unreachable for 40 seconds of an hour, and about a full disk.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { listJobs } from '#server/db/system/jobs.ts';
import { StoreFull } from '#server/domain/ports.ts';
import { createLog } from '#server/lib/log.ts';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { type CuttableProxy, openCuttableProxy } from '#test/kit/cuttable-proxy.ts';
import { type Engine, postgresAndDisk, sqliteAndDisk } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/eventually.ts';
import { findTestServers } from '#test/kit/servers/addresses.ts';

interface Line {
  level: number;
  check?: string;
  msg: string;
}

function recordLog() {
  const lines: Line[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  return { lines, log: createLog({ level: 'info', format: 'json' }, { write }) };
}

/** As many runs as an hour with jobs every second and requests of several people has in 40 seconds. */
const rounds = 40;

describe('the log of an outage', { skip: findTestServers() === null && 'without servers' }, () => {
  let app: TestApp;
  let person: ApiClient;
  let proxy: CuttableProxy;
  const { lines, log } = recordLog();
  before(async () => {
    const throughProxy: Engine = {
      name: 'through a connection that can be cut',
      async create() {
        const { environment, drop } = await postgresAndDisk.create('migrated');
        const url = new URL(environment.WAYBILL_DATABASE_URL!);
        proxy = await openCuttableProxy({ host: url.hostname, port: Number(url.port) });
        url.port = String(proxy.port);
        return {
          environment: { ...environment, WAYBILL_DATABASE_URL: url.href },
          async drop() {
            await proxy.close();
            await drop();
          },
        };
      },
    };
    app = await startTestApp(throughProxy, { log });
    person = await app.person('person');
  });
  after(() => app.close());

  const burden = async () => {
    const { jobs } = app.app;
    for (let round = 0; round < rounds; round++) {
      await Promise.all(jobs.jobs.map(({ name }) => jobs.runOnce(name).catch(() => {})));
      await person.call('getAccount').catch(() => {});
    }
  };

  test('of the database has one line with host and cause, and one when it works again', async () => {
    lines.length = 0;
    proxy.cut();
    await burden();
    assert.deepEqual(app.app.failing(), ['database']);
    proxy.mend();
    await eventually('the log says so', async () => lines.some(({ msg }) => msg === 'database: works again'));
    const about = lines.filter(({ msg }) => !msg.startsWith('something needs an administrator'));
    assert.equal(about.length, 2, JSON.stringify(lines, null, 1));
    assert.match(
      about[0]!.msg,
      new RegExp(
        `^The database at 127\\.0\\.0\\.1:${proxy.port} does not work: .*(ECONNRESET|terminated|ECONNREFUSED).*503`,
      ),
    );
    assert.equal(about[0]!.level, 50);
  });

  test('of the database leaves no job failed, and does not raise the counter that alerts', async () => {
    const metric = app.app.metrics().find(({ name }) => name === 'waybill_jobs_failed_total');
    assert.deepEqual(metric?.samples.filter(([, value]) => value > 0) ?? [], []);
    const jobs = await listJobs(app.app.ctx.db.read, app.clock.now());
    assert.deepEqual(
      jobs.filter(({ failures }) => failures > 0),
      [],
    );
  });
});

describe('the log of a full disk', () => {
  let app: TestApp;
  let isFull = false;
  const { lines, log } = recordLog();
  before(async () => {
    app = await startTestApp(sqliteAndDisk, {
      log,
      wrapVault: (vault) => ({
        ...vault,
        receive: (...given) =>
          isFull ? Promise.reject(new StoreFull('the file system said ENOSPC')) : vault.receive(...given),
        trouble: () => (isFull ? 'the file system said ENOSPC' : vault.trouble()),
        state: async () => (isFull ? 'no_uploads' : vault.state()),
      }),
    });
  });
  after(() => app.close());

  test('has one line with place and cause, and one when there is room again', async () => {
    const person = await app.person('person');
    lines.length = 0;
    isFull = true;
    for (let round = 0; round < rounds; round++) await assert.rejects(person.upload('a.bin', 'x'), /507|no room/);
    isFull = false;
    await eventually('the log says so', async () => lines.some(({ msg }) => msg === 'storage: works again'));
    const sentences = lines.map(({ msg }) => msg);
    assert.equal(sentences.length, 2, sentences.join('\n'));
    assert.match(sentences[0]!, /^The store \(\/.*files\) does not work: .*ENOSPC/);
  });
});
