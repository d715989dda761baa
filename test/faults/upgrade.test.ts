// An upgrade under load without downtime: the next version starts, migrates, takes over and hands back (docs/adr/0090).
import assert from 'node:assert/strict';
import { connect, createServer, type Server } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { repositoryRoot } from '#scripts/source-files.ts';
import { openDatabase } from '#server/db/open.ts';
import type { LockedDb } from '#server/db/schema/schema.ts';
import { databases } from '#test/kit/engines.ts';
import { until } from '#test/kit/eventually.ts';
import { createInstallation, type Installation, type Program, type Sources } from '#test/kit/program.ts';
import { freePorts } from '#test/kit/servers/child.ts';
import { checkBytes, checkLists, Ledger } from './kill-ledger.ts';
import { type Load, startLoad } from './kill-load.ts';

const nextVersion: Sources = {
  folder: repositoryRoot,
  args: ['--import', './test/faults/next-version.fixture.ts', 'server/main.ts'],
};

for (const engine of databases)
  describe(`an upgrade on ${engine.name}`, () => {
    let place: Installation;
    let front: Front;
    let ports: [number, number];
    let load: Load;
    let oldProgram: Program;
    let newProgram: Program;
    const ledger = new Ledger();

    before(async () => {
      place = await createInstallation(engine, { WAYBILL_WORKERS: '1', WAYBILL_TRUST_PROXY: 'loopback' });
      ports = (await freePorts(2)) as [number, number];
      front = await openFront(Number(new URL(place.url).port), ports[0]);
      oldProgram = await place.start({ port: ports[0] });
      load = startLoad(place.admin, ledger, { restMs: 1500 });
      await moreFiles();
    });
    after(async () => {
      await load?.stop();
      front?.server.close();
      await place?.drop();
    });

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

    test('a migration that is killed midway leaves the old version ready and working', async () => {
      const killed = await place.start({
        sources: nextVersion,
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

    test('two processes of the next version start next to the old one, which stays ready and continues to serve', async () => {
      const second = await place.start({ sources: nextVersion, command: 'migrate', waits: false });
      newProgram = await place.start({ port: ports[1], sources: nextVersion });
      assert.deepEqual(await second.exited, { code: 0, signal: null }, second.output());
      assert.deepEqual(await failingAt(ports[0]), []);
      await moreFiles();
    });

    test('the next version takes over, and the old one stops', async () => {
      front.goTo(ports[1]);
      await stop(oldProgram);
      await moreFiles();
    });

    test('the old version can be started again on the newer tables, and takes over again', async () => {
      oldProgram = await place.start({ port: ports[0] });
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

    async function changeDatabase(change: Parameters<LockedDb['write']>[0]): Promise<void> {
      const url = place.environment.WAYBILL_DATABASE_URL ?? `sqlite:${place.environment.WAYBILL_DATA_DIR}/waybill.db`;
      const db = await openDatabase(url);
      await db.write(change);
      await db.close();
    }

    test('once the version after the next has cleaned up, the old one is no longer ready and reports why', async () => {
      await changeDatabase((tx) =>
        sql`insert into migrations (name, applied_at, needs, version) values ('9001-clean-up', 1, '9000-next-version', '9.9')`.execute(
          tx,
        ),
      );
      assert.deepEqual(await failingAt(ports[0]), ['migrations']);
      const { code, errors } = await place.run(['migrate']);
      assert.equal(code, 1);
      assert.match(errors, /^waybill-server: The tables of the database belong to version 9\.9 .* is too old .*\n$/);
      await until(async () => /belong to version 9\.9 of the program/.test(oldProgram.output()));
    });

    test('a database from before the baseline is refused at the start in one sentence', async () => {
      await stop(oldProgram);
      await changeDatabase(async (tx) => {
        await sql`delete from migrations`.execute(tx);
        await sql`insert into migrations (name, applied_at) values ('0068-attempt-limits', 1)`.execute(tx);
      });
      const program = await place.start({ waits: false });
      assert.deepEqual(await program.exited, { code: 1, signal: null });
      assert.match(
        program.output(),
        /^waybill-server: .* last migration is 0068-attempt-limits\. Start the last .*\n$/,
      );
    });
  });

interface Front {
  server: Server;
  goTo(port: number): void;
}

/** Forwards connections to one of the processes, like a reverse proxy. */
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
