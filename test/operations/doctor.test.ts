// `waybill-server doctor` finds real faults and names their solutions.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { doctor } from '#server/commands/doctor.ts';
import { examine, type Instruments } from '#server/installation/doctor/examine.ts';

import { type Finding, runCheck } from '#server/installation/doctor/findings.ts';
import { checkProgram } from '#server/installation/doctor/machine.ts';
import { createRandom } from '#server/lib/ids.ts';
import { OperatorProblem } from '#server/lib/operator-problem.ts';
import { startTestApp } from '#test/kit/app.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { faultsInside } from './doctor-faults.ts';
import { faultsOnTheWay, mailFaults, withServers } from './doctor-network-faults.ts';
import type { Fault, Place } from './doctor-surroundings.ts';

describe('doctor', () => {
  /** Faults are placed without a running service; those between proxy and service need a working one. */
  let quiet: Place;
  let running: Place;
  const drops: (() => Promise<unknown>)[] = [];
  before(async () => {
    [quiet, running] = [await makePlace(), await makePlace()];
    await quiet.app.app.close();
    drops.push(() => running.app.app.close());
  });
  after(async () => {
    for (const drop of drops.reverse()) await drop();
  });

  async function makePlace(): Promise<Place> {
    const { environment, drop } = await sqliteAndDisk.create('migrated');
    const app = await startTestApp({ name: 'one place', create: async () => ({ environment, drop: async () => {} }) });
    await app.admin.upload('file.bin', 'bytes');
    const folder = await mkdtemp(join(tmpdir(), 'waybill-doctor-'));
    drops.push(drop, () => rm(folder, { recursive: true, force: true }));
    const settings = { WAYBILL_BASE_URL: app.url, WAYBILL_MIN_FREE_SPACE: '0', WAYBILL_WORKERS: '1' };
    return {
      app,
      folder,
      dataDir: environment.WAYBILL_DATA_DIR!,
      // A free port.
      environment: { ...environment, ...settings, WAYBILL_LISTEN: '127.0.0.1:1' },
      running: { WAYBILL_LISTEN: new URL(app.url).host },
    };
  }

  async function findingsOf(place: Place, environment: Record<string, string>, instruments: Partial<Instruments> = {}) {
    return examine(
      { random: createRandom(), clock: place.app.clock, ...instruments },
      { ...place.environment, ...environment },
    );
  }

  function assertNamed(
    findings: Finding[],
    { state = 'fault', sentence, cure }: Pick<Fault, 'state' | 'sentence' | 'cure'>,
  ) {
    const report = findings
      .map((one) => `${one.state} ${one.look}: ${one.sentence} (${one.said}) → ${one.cure}`)
      .join('\n');
    const named = findings.filter((one) => sentence.test(`${one.look}: ${one.sentence} ${one.said}`));
    assert.ok(named.length > 0, `not named:\n${report}`);
    assert.ok(
      named.some((one) => one.state === state && cure.test(one.cure ?? '')),
      `no such cure:\n${report}`,
    );
  }

  const namesEach = (faults: readonly Fault[], placeOf: () => Place) => {
    for (const fault of faults)
      test(`names ${fault.name}, with its solution`, async () => {
        const { environment = {}, instruments = {}, undo } = await fault.plant(placeOf());
        try {
          assertNamed(await findingsOf(placeOf(), environment, instruments), fault);
        } finally {
          await undo?.();
        }
      });
  };
  namesEach([...faultsInside, ...mailFaults, ...withServers], () => quiet);
  namesEach(faultsOnTheWay, () => running);

  test('names an old Node and a program that is not built', async () => {
    const missing = () => {
      throw new OperatorProblem('/srv/waybill/dist/pages/entry.js is missing: the program is not built.');
    };
    const findings = await checkProgram('24.11.1', missing);
    assertNamed(findings, { sentence: /Node 24\.11\.1 is too old/, cure: /Install Node 26/ });
    assertNamed(findings, { sentence: /the program is not built/, cure: /npm run build/ });
  });

  test('a silent server is named after a while, and later checks still run', async () => {
    const [late] = await runCheck({ name: 'mail', limitMs: 10, cure: 'try', run: () => new Promise(() => {}) });
    assert.deepEqual([late!.state, late!.sentence], ['fault', 'No answer within 0.01 seconds.']);
  });

  test('finds no fault in a working installation, and changes nothing', async () => {
    const before = await contents(quiet.dataDir);
    await findingsOf(quiet, {});
    assert.deepEqual(await contents(quiet.dataDir), before);
    const findings = await findingsOf(running, running.running);
    assert.deepEqual(
      findings.filter(({ state }) => state === 'fault'),
      [],
    );
    assert.ok(findings.some(({ look: name, state }) => name === 'public address' && state === 'ok'));
    const empty = join(quiet.folder, 'nothing');
    const early = await findingsOf(quiet, { WAYBILL_DATA_DIR: empty });
    assert.deepEqual(
      early.filter(({ state }) => state === 'fault'),
      [],
      'before the first start',
    );
    await assert.rejects(readFile(empty), { code: 'ENOENT' });
  });

  test('the command accepts only --json', async (context) => {
    const said = context.mock.method(process.stderr, 'write', () => true);
    assert.equal(await doctor(['--mend']), 2);
    assert.equal(await doctor(['--json', 'now']), 2);
    assert.match(String(said.mock.calls.at(-1)?.arguments[0]), /^usage: waybill-server doctor/);
  });
});

/** Names and bytes of files that must not change; reading touches the WAL of SQLite. */
async function contents(folder: string): Promise<[string, string][]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile() && !/\.db(-wal|-shm)?$/.test(entry.name));
  return Promise.all(
    files.map(async (entry): Promise<[string, string]> => {
      const path = join(entry.parentPath, entry.name);
      return [path, (await readFile(path)).toString('base64')];
    }),
  );
}
