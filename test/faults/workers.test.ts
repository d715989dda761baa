// Several processes behind one port behave as one service.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { repositoryRoot } from '#scripts/source-files.ts';
import { withInstallation } from '#server/app.ts';
import { readConfig } from '#server/config.ts';
import { createJobRunner } from '#server/jobs/runner.ts';
import { silentLog } from '#server/lib/log.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/eventually.ts';
import { createInstallation, type Installation, type Program } from '#test/kit/program.ts';
import { freePorts } from '#test/kit/servers/child.ts';

describe('two workers', () => {
  let place: Installation;
  let program: Program;
  let metrics: string;
  before(async () => {
    const [metricsPort] = await freePorts(1);
    metrics = `127.0.0.1:${metricsPort}`;
    place = await createInstallation(sqliteAndDisk, { WAYBILL_WORKERS: '2' });
    program = await place.start({ environment: { WAYBILL_METRICS_LISTEN: metrics } });
  });
  after(() => place.drop());

  function open(): Promise<Socket> {
    const { hostname, port } = new URL(place.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    return once(socket, 'connect').then(() => socket);
  }

  const ask = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n';

  test('a port in use ends the start with one sentence, with one worker as with two', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    for (const workers of ['1', '2']) {
      const settings = { WAYBILL_WORKERS: workers, WAYBILL_LISTEN: `127.0.0.1:${port}` };
      const refused = await place.start({ waits: false, environment: settings });
      assert.deepEqual(await refused.exited, { code: 1, signal: null });
      const sentence = `waybill-server: WAYBILL_LISTEN is 127.0.0.1:${port}, but another program listens there already.`;
      assert.ok(refused.output().includes(`${sentence}\n`), refused.output());
      assert.doesNotMatch(refused.output(), /\n\s+at /);
    }
    other.close();
  });

  test('a start that cannot be prepared ends with one sentence', async () => {
    const [port] = await freePorts(1);
    const settings = { WAYBILL_LISTEN: `127.0.0.1:${port}`, WAYBILL_MASTER_KEY_FILE: '/nowhere/key' };
    const refused = await place.start({ waits: false, environment: settings });
    assert.deepEqual(await refused.exited, { code: 1, signal: null });
    assert.match(refused.output(), /^waybill-server: .*master key is missing.*\n$/);
  });

  test('log once how many migrations ran, that they are ready, and on which address they listen', () => {
    const logged = program
      .output()
      .split('\n')
      .map((line) => /"msg":"(the tables were|Waybill is ready)([^"]*)"/.exec(line)?.slice(1).join(''))
      .filter((text) => text !== undefined);
    assert.match(
      logged.join('\n'),
      /^the tables were brought up to date: [1-9]\d* migrations\nWaybill is ready at .*$/,
    );
    assert.equal(logged.at(-1), `Waybill is ready at ${place.url} (listening on ${place.url})`);
    assert.doesNotMatch(program.output(), /"migrations":/);
  });

  test('the supervisor does not load the application', async () => {
    // The application maps its one compiled library.
    const hasApplication = async (pid: number) => (await readFile(`/proc/${pid}/maps`, 'utf8')).includes('crc32');
    assert.deepEqual(await Promise.all((await workerPids()).map(hasApplication)), [true, true]);
    assert.equal(await hasApplication(program.child.pid), false);
  });

  const workerPids = async () => {
    const workers = (await program.members()).filter(({ parent }) => parent === program.child.pid);
    assert.equal(workers.length, 2);
    return workers.map(({ pid }) => pid);
  };
  /** How many connections each has more than now; waits until there are this many. */
  const watchFromNow = async () => {
    const pids = await workerPids();
    const before = await Promise.all(pids.map(socketCount));
    return (what: string, isSo: (more: number[]) => boolean) =>
      eventually(
        what,
        async () => isSo((await Promise.all(pids.map(socketCount))).map((n, at) => n - before[at]!)),
        20_000,
      );
  };
  const each = (count: number) => (more: number[]) => more.every((one) => one === count);
  /** A worker reports a closed connection before its next metrics, so only the second metrics are certain to include it. */
  const untilStopped = async () => {
    for (const _ of ['first', 'second']) await (await fetch(`http://${metrics}/metrics`)).text();
  };

  test('share connections evenly, however fast they come', async () => {
    const until = await watchFromNow();
    for (const total of [12, 4]) {
      const sockets = await Promise.all(Array.from({ length: total }, open));
      await until(`each has ${total / 2} more`, each(total / 2));
      for (const socket of sockets) socket.destroy();
      await until('all are gone', each(0));
      await untilStopped();
    }
  });

  test('share them evenly even when one of them has an idle one', async () => {
    const untilOfAll = await watchFromNow();
    for (const leaving of [0, 1]) {
      const pair = [await open(), await open()] as const;
      await untilOfAll('each has one', each(1));
      pair[leaving]!.destroy();
      await untilOfAll('one is left', (more) => more.toSorted().join() === '0,1');
      await untilStopped();
      const until = await watchFromNow();
      const sockets: Socket[] = [];
      for (let count = 0; count < 4; count++) sockets.push(await open());
      await until('each has two more', each(2));
      for (const socket of [...pair, ...sockets]) socket.destroy();
      await untilOfAll('all are gone', each(0));
      await untilStopped();
    }
  });

  test('answer a client that has closed its side, and keep the connection of one that sends another request', async () => {
    const closing = await open();
    closing.end(`${ask}\r\n`);
    assert.match(await textOf(closing), /^HTTP\/1\.1 200 /);
    const kept = await open();
    kept.write(`${ask}\r\n`);
    const [answer] = (await once(kept, 'data')) as [Buffer];
    assert.match(answer.toString('latin1'), /^HTTP\/1\.1 200 /);
    kept.write(`${ask}Connection: close\r\n\r\n`);
    assert.match(await textOf(kept), /^HTTP\/1\.1 200 /);
  });

  test('when one is killed during a job, another resumes the job immediately', async () => {
    using database = new DatabaseSync(join(place.environment.WAYBILL_DATA_DIR!, 'waybill.db'), { timeout: 60_000 });
    const holder = await eventually('a worker has run a job', async () => {
      const row = database.prepare("SELECT holder FROM jobs WHERE name = 'send-outbox'").get();
      return row?.holder as string | undefined;
    });
    // As if during a long run; otherwise the lease would last an hour.
    database
      .prepare('INSERT INTO jobs (name, holder, lease_ends_at, note) VALUES (?, ?, ?, ?)')
      .run('long', holder, Date.now() + 3_600_000, '');
    process.kill(Number.parseInt(holder, 10), 'SIGKILL');
    await eventually(
      'its lease was released',
      async () => database.prepare("SELECT lease_ends_at FROM jobs WHERE name = 'long'").get()?.lease_ends_at === 0,
    );
    await eventually('there are two again', workerPids);
  });

  test('when an unsupervised process is killed, another resumes its job after 15 seconds', async () => {
    const child = spawn(process.execPath, ['test/faults/hold-job.fixture.ts'], {
      cwd: repositoryRoot,
      env: { ...process.env, ...place.environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const heldSince = Date.now();
    child.kill('SIGKILL');
    await once(child, 'exit');
    await withInstallation(readConfig(place.environment), silentLog, async (ctx) => {
      let now = heldSince;
      const clock = { ...ctx.clock, now: () => now };
      const work = { name: 'endless', everyMs: 1000, run: async () => 'done' };
      const runner = createJobRunner({ ...ctx, clock }, [work], { upkeep: async () => {} });
      assert.equal(await runner.runOnce('endless'), null);
      now += 15_000;
      assert.equal(await runner.runOnce('endless'), 'done');
    });
  });

  test('a connection waits while all workers are being replaced', async () => {
    for (const pid of await workerPids()) process.kill(pid, 'SIGKILL');
    const socket = await open();
    socket.write(`${ask}Connection: close\r\n\r\n`);
    assert.match(await textOf(socket), /^HTTP\/1\.1 200 /);
  });
});

async function textOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
  });
  socket.on('error', () => {});
  socket.on('end', () => socket.end());
  await once(socket, 'close').catch(() => {});
  return text;
}

async function socketCount(pid: number): Promise<number> {
  const folder = `/proc/${pid}/fd`;
  const targets = await Promise.all(
    (await readdir(folder)).map((name) => readlink(`${folder}/${name}`).catch(() => '')),
  );
  return targets.filter((target) => target.startsWith('socket:')).length;
}
