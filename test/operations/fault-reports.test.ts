// Faults of a running service, each with its sentence in log, doctor, /readyz and console.
import assert from 'node:assert/strict';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { deleteMeta, setMeta } from '#server/db/system/installation.ts';
import { examine } from '#server/installation/doctor/examine.ts';
import { createRandom } from '#server/lib/ids.ts';
import { createLog } from '#server/lib/log.ts';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { until } from '#test/kit/eventually.ts';

interface Line {
  check?: string;
  msg: string;
}

interface Row {
  fault: string;
  /** Returns what removes the fault. */
  plant(files: string, app: TestApp): Promise<() => Promise<void>>;
  /** As in the log. */
  check: string;
  log: RegExp;
  doctor: RegExp;
  state: 'fault' | 'warn';
  readyz: string[];
  console: string;
}

const emptied = async (files: string) => {
  await rename(files, `${files}-aside`);
  await mkdir(join(files, 'tmp'), { recursive: true });
  return async () => {
    await rm(files, { recursive: true });
    await rename(`${files}-aside`, files);
  };
};

const rows: Row[] = [
  {
    fault: 'a folder of files that is not mounted',
    plant: emptied,
    check: 'storage',
    log: /^The store \(.*files\) has none of the files of this database/,
    doctor: /store: .*has none of the files of this database/,
    state: 'fault',
    readyz: ['storage'],
    console: 'storage-trouble',
  },
  {
    fault: 'a folder of files of another installation',
    async plant(files) {
      const restore = await emptied(files);
      await writeFile(join(files, 'waybill-installation'), '{"installation":"theirs","beat":1}');
      return restore;
    },
    check: 'storage',
    log: /^The store \(.*files\) belongs to another installation/,
    doctor: /store: .*belongs to another installation/,
    state: 'fault',
    readyz: ['storage'],
    console: 'storage-trouble',
  },
  {
    // People can sign in and read, so that the proxy continues to send them here.
    fault: 'a database that was copied',
    async plant(_files, { app: { ctx } }) {
      await ctx.db.write((tx) => setMeta(tx, 'quarantine', 'copied'));
      return () => ctx.db.write((tx) => deleteMeta(tx, 'quarantine'));
    },
    check: 'quarantine',
    log: /^This database was copied or restored since it was last used/,
    doctor: /quarantine: This database was copied or restored/,
    state: 'warn',
    readyz: [],
    console: 'quarantined',
  },
];

describe('a fault of a running service', () => {
  let app: TestApp;
  let place: Awaited<ReturnType<typeof sqliteAndDisk.create>>;
  const lines: Line[] = [];
  before(async () => {
    place = await sqliteAndDisk.create('migrated');
    const write = (line: string) => void lines.push(JSON.parse(line));
    const log = createLog({ level: 'info', format: 'json' }, { write });
    app = await startTestApp({ ...sqliteAndDisk, create: async () => place }, { log });
    await app.admin.upload('file.bin', 'bytes');
  });
  after(() => app.close());

  const failing = async () => ((await app.anonymous.fetch('/readyz')).body as { failing?: string[] }).failing ?? [];
  /** The state of the store is cached for two seconds. */
  const untilFailing = (expected: string[]) =>
    until(async () => {
      app.clock.advance(3000);
      return (await failing()).join() === expected.join();
    });
  const topics = async () => {
    await app.app.jobs.runOnce('watch-health');
    const { body } = await app.admin.expect(200, 'getOverview', {});
    return (body as { overview: { attention: { topic: string }[] } }).overview.attention.map(({ topic }) => topic);
  };

  for (const { fault, plant, ...expected } of rows)
    test(`${fault}: log, doctor, /readyz and console name it`, async () => {
      lines.length = 0;
      const restore = await plant(join(place.environment.WAYBILL_DATA_DIR!, 'files'), app);
      try {
        await untilFailing(expected.readyz);
        await until(async () => lines.some(({ msg }) => expected.log.test(msg)));
        assert.ok((await topics()).includes(expected.console));
        const settings = {
          WAYBILL_BASE_URL: app.url,
          WAYBILL_MIN_FREE_SPACE: '0',
          WAYBILL_LISTEN: new URL(app.url).host,
        };
        const findings = await examine(
          { random: createRandom(), clock: app.clock },
          { ...place.environment, ...settings },
        );
        const named = findings.filter(({ look, sentence }) => expected.doctor.test(`${look}: ${sentence}`));
        assert.deepEqual([named.length, named[0]?.state, named[0]?.cure === null], [1, expected.state, false]);
      } finally {
        await restore();
      }
      await untilFailing([]);
      await until(async () => lines.some(({ msg }) => msg === `${expected.check}: works again`));
    });
});
