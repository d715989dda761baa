// An upgrade without stopping: the old version serves, the next one starts beside it, migrates, takes over and gives back, all
// under load. Nothing that was acknowledged is lost (docs/adr/0090). Old is, on SQLite, this version, and on PostgreSQL,
// where more can go wrong, the version before out of the history; next is this version with one migration more.
import assert from 'node:assert/strict';
import { connect, createServer, type Server } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { repositoryRoot } from '#scripts/source-files.ts';
import { migrations } from '#server/db/migrations/all.ts';
import { openDatabase } from '#server/db/open.ts';
import { databases, sqliteAndDisk } from '#test/kit/engines.ts';
import { until } from '#test/kit/patience.ts';
import { createInstallation, type Installation, type Program, type Sources } from '#test/kit/program.ts';
import { freePorts } from '#test/kit/servers/child.ts';
import { exportVersionBefore, findMissingHistory, listMigrationsBefore } from '#test/kit/version-before.ts';
import { checkBytes, checkLists, Ledger } from './kill-ledger.ts';
import { type Load, startLoad } from './kill-load.ts';

const skip = (await findMissingHistory()) ?? false;

test('a clean-up needs nothing that the version before does not know', { skip }, async () => {
  const known = await listMigrationsBefore();
  for (const { name, needs } of migrations)
    if (needs !== undefined) assert.ok(known.includes(needs), `${name} needs ${needs}, which came with this version`);
});

for (const engine of databases)
  describe(`an upgrade on ${engine.name}`, { skip: engine !== sqliteAndDisk && skip }, () => {
    let old: Sources | undefined;
    const next: Sources = {
      folder: repositoryRoot,
      args: ['--import', './test/faults/next-version.fixture.ts', 'server/main.ts'],
    };
    let exported: { folder: string; remove(): Promise<void> } | null = null;
    let place: Installation;
    let front: Front;
    let ports: [number, number];
    let load: Load;
    let oldProgram: Program;
    let newProgram: Program;
    const ledger = new Ledger();

    before(async () => {
      if (engine !== sqliteAndDisk) {
        exported = await exportVersionBefore();
        old = { folder: exported.folder, args: ['server/main.ts'] };
      }
      place = await createInstallation(engine, { WAYBILL_WORKERS: '1', WAYBILL_TRUST_PROXY: 'loopback' });
      ports = (await freePorts(2)) as [number, number];
      front = await openFront(Number(new URL(place.url).port), ports[0]);
      oldProgram = await place.start({ port: ports[0], ...(old && { ...(old && { sources: old }) }) });
      load = startLoad(place.admin, ledger, { restMs: 1500 });
      await moreFiles();
    });
    after(async () => {
      await load?.stop();
      front?.server.close();
      await place?.drop();
      await exported?.remove();
    });

    /** Whoever serves now goes on doing so. */
    async function moreFiles(): Promise<void> {
      const enough = ledger.files.size + 4;
      await until(async () => ledger.files.size >= enough || load.faults.length > 0);
      assert.deepEqual(load.faults, []);
    }
    async function failingAt(port: number): Promise<string[]> {
      const reply = await fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: 'close' } });
      return ((await reply.json()) as { failing?: string[] }).failing ?? [];
    }
    async function stop(program: Program): Promise<void> {
      program.signal('SIGTERM');
      assert.deepEqual(await program.exited, { code: 0, signal: null });
    }

    test('a migration that is killed half way leaves the old version ready and working', async () => {
      const killed = await place.start({
        sources: next,
        command: 'migrate',
        waits: false,
        environment: { UPGRADE_STOPS_HALF_WAY: 'yes' },
      });
      await until(async () => killed.output().includes('half way') || !killed.child.isRunning());
      assert.match(killed.output(), /half way/);
      killed.signalAll('SIGKILL');
      await killed.exited;
      assert.deepEqual(await failingAt(ports[0]), []);
      await moreFiles();
    });

    test('two processes of the next version start beside it; it stays ready and goes on', async () => {
      const second = await place.start({ sources: next, command: 'migrate', waits: false });
      newProgram = await place.start({ port: ports[1], sources: next });
      assert.deepEqual(await second.exited, { code: 0, signal: null }, second.output());
      assert.deepEqual(await failingAt(ports[0]), []);
      await moreFiles();
    });

    test('the next version takes over, and the old one stops', async () => {
      front.goTo(ports[1]);
      await stop(oldProgram);
      await moreFiles();
    });

    test('the old version can be started again on the newer tables, and takes everything back', async () => {
      oldProgram = await place.start({ port: ports[0], sources: old });
      front.goTo(ports[0]);
      await stop(newProgram);
      await moreFiles();
    });

    test('nothing acknowledged was lost, and no answer was wrong', async () => {
      await until(async () => ledger.wholeDownloads > 0 || load.faults.length > 0);
      await load.stop();
      assert.deepEqual(load.faults, []);
      await checkLists(ledger, place.admin);
      await checkBytes(ledger, place.admin);
    });

    test('once the next version but one has cleaned up, the old one is not ready any more and says why', async () => {
      const url = place.environment.WAYBILL_DATABASE_URL ?? `sqlite:${place.environment.WAYBILL_DATA_DIR}/waybill.db`;
      const db = await openDatabase(url);
      await db.write((tx) =>
        sql`insert into migrations (name, applied_at, needs, version) values ('9001-clean-up', 1, '9000-next-version', '9.9')`.execute(
          tx,
        ),
      );
      await db.close();
      assert.deepEqual(await failingAt(ports[0]), ['migrations']);
      const { code, errors } = await place.run(['migrate']);
      assert.equal(code, 1);
      assert.match(errors, /^waybill-server: The tables of the database belong to version 9\.9 .* is too old .*\n$/);
      await until(async () => /belong to version 9\.9 of the program/.test(oldProgram.output()));
    });
  });

interface Front {
  server: Server;
  /** New connections go there from now on. */
  goTo(port: number): void;
}

/** What a proxy in front does: connections are passed on to one process or the other. */
async function openFront(port: number, target: number): Promise<Front> {
  let current = target;
  const server = createServer((near) => {
    const far = connect(current, '127.0.0.1');
    near.on('error', () => far.destroy()).pipe(far);
    far.on('error', () => near.resetAndDestroy()).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    server,
    goTo(next) {
      current = next;
    },
  };
}
