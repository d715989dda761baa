// Three machines behind the shipped nginx file with PostgreSQL and S3 under load while each part fails; acknowledged data
// survives.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { attachmentAnswer } from '#contract/attachments.ts';
import { checkBytes, checkLists, Ledger } from '#test/faults/kill-ledger.ts';
import { startLoad } from '#test/faults/kill-load.ts';
import { checkRemains } from '#test/faults/kill-rounds.ts';
import { ApiClient, type Reply } from '#test/kit/client.ts';
import { type CuttableProxy, openCuttableProxy } from '#test/kit/cuttable-proxy.ts';
import { type Engine, postgresAndS3 } from '#test/kit/engines.ts';
import { clocked, eventually } from '#test/kit/eventually.ts';
import { type FaultyS3, openFaultyS3, type S3Fault } from '#test/kit/faulty-s3.ts';
import { createInstallation, type Installation, type Program } from '#test/kit/program.ts';
import { findTestServers } from '#test/kit/servers/addresses.ts';
import { freePorts } from '#test/kit/servers/child.ts';
import { type Postgres, replicationSettings, startPostgres, startStandby } from '#test/kit/servers/postgres.ts';
import { type ProxyProcess, startPlainNginx } from '#test/kit/servers/proxies.ts';
import { wireForm } from '../kit/wire-form.ts';

/** A request that nginx cannot forward counts as lost. */
class ProxiedClient extends ApiClient {
  override async fetch(...request: Parameters<ApiClient['fetch']>): Promise<Reply> {
    const reply = await super.fetch(...request);
    if (reply.status === 502 || reply.status === 504) throw new Error(`fetch failed: ${reply.status} of the proxy`);
    return reply;
  }
}

describe('three machines behind nginx', { skip: findTestServers() === null && 'without servers' }, () => {
  let folder: string;
  let postgres: Postgres;
  let standby: Postgres | null = null;
  let wire: CuttableProxy;
  let wireTarget: { host: string; port: number };
  let s3: FaultyS3;
  let place: Installation;
  let nginx: ProxyProcess;
  let ports: number[];
  const programs: Program[] = [];
  const ledger = new Ledger();
  let client: ApiClient;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waybill-machines-'));
    await chmod(folder, 0o711);
    postgres = await startPostgres(join(folder, 'primary'), replicationSettings);
    await onDatabase(postgres.url, 'create database waybill');
    const engine: Engine = {
      name: 'a PostgreSQL that can be stopped, and an S3 that can fail',
      async create() {
        const { environment, drop } = await postgresAndS3.create();
        wireTarget = { host: '127.0.0.1', port: Number(new URL(postgres.url).port) };
        wire = await openCuttableProxy(wireTarget);
        s3 = await openFaultyS3(environment.WAYBILL_S3_ENDPOINT!);
        return {
          environment: {
            ...environment,
            WAYBILL_DATABASE_URL: `postgres://postgres@127.0.0.1:${wire.port}/waybill`,
            WAYBILL_S3_ENDPOINT: s3.url,
          },
          async drop() {
            await Promise.all([wire.close(), s3.close()]);
            await drop();
          },
        };
      },
    };
    place = await createInstallation(engine, { WAYBILL_WORKERS: '1', WAYBILL_TRUST_PROXY: 'loopback' });
    client = new ProxiedClient(place.url, place.admin.key, place.admin.email);
    ports = await freePorts(3);
    nginx = await startPlainNginx({
      port: Number(new URL(place.url).port),
      machines: ports.map((port) => `127.0.0.1:${port}`),
    });
    for (const index of ports.keys()) await startMachine(index);
  });
  after(async () => {
    await place?.drop();
    await nginx?.stop();
    await Promise.all([postgres?.stop(), standby?.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  async function startMachine(index: number): Promise<void> {
    const environment = { WAYBILL_LISTEN: `127.0.0.1:${ports[index]}` };
    programs[index] = await place.start({ environment, waits: false });
    await eventually(`machine ${index} is ready`, () => isReady(index));
  }
  const isReady = async (index: number) => {
    if (!programs[index]!.child.isRunning()) throw new Error(programs[index]!.output());
    const reply = await fetch(`http://127.0.0.1:${ports[index]}/readyz`, { headers: { connection: 'close' } });
    await reply.arrayBuffer();
    return reply.status === 200;
  };
  const allReady = async () => (await Promise.all([...ports.keys()].map(isReady))).every(Boolean);
  const firstUpload = () => {
    const bytes = randomBytes(1000);
    ledger.attempt(bytes);
    return client.call('uploadForLink', { query: { filename: 'a.bin' }, bytes, headers: { connection: 'close' } });
  };

  test('a file whose chunks went to three different machines is complete', async () => {
    const chunks = Array.from({ length: 3 }, () => randomBytes(200_000));
    let reply: Reply | null = null;
    let uploadId = 'new';
    for (const [number, bytes] of chunks.entries()) {
      const machine = new ApiClient(`http://127.0.0.1:${ports[number]}`, place.admin.key, '');
      const query = { filename: 'spread.bin', chunks: '3', chunk: String(number), upload_id: uploadId };
      reply = await machine.expect(200, 'uploadForLink', { query, bytes });
      uploadId = reply.headers.get('upload-id')!;
    }
    const file = wireForm(attachmentAnswer, reply!.body).attachment;
    assert.equal(file.size, 600_000);
    ledger.attempt(Buffer.concat(chunks));
    ledger.files.set(file.id, Buffer.concat(chunks));
  });

  interface Fault {
    begin(): Promise<void> | void;
    /** Polled during the fault: whether requests are refused. */
    refuses?(): Promise<boolean>;
    /** Polled during the fault: whether requests succeed. */
    serves?(): Promise<boolean>;
    end(): Promise<void> | void;
  }

  /** Runs load during a fault and after it; then all machines are ready and no data is lost. */
  async function survive(context: TestContext, fault: Fault): Promise<void> {
    const load = startLoad(client, ledger, { restMs: 300 });
    const continues = async (what: string) => {
      const enough = ledger.files.size + 3;
      await eventually(what, async () => ledger.files.size >= enough || load.faults.length > 0);
    };
    const limitMs = { now: 0 };
    const within = async (what: string, step: () => Promise<unknown>) => {
      const tookMs = await clocked(step);
      context.diagnostic(`${what} after ${Math.round(tookMs)} ms`);
      assert.ok(tookMs < limitMs.now, `${what} after ${tookMs} ms, and ${limitMs.now} are permitted`);
    };
    try {
      await continues('the load has got going');
      // Bounds depend on the speed of the machine.
      limitMs.now = 5_000 + 20 * (await clocked(() => client.expect(200, 'getAccount')));
      await fault.begin();
      const { refuses, serves } = fault;
      if (refuses) await within('requests are refused', () => eventually('requests are refused', refuses));
      if (serves) await within('requests are served', () => eventually('requests are served', serves));
      await fault.end();
      await within('all are ready again', () => eventually('all are ready again', allReady));
      await continues('the load continues');
    } finally {
      await load.stop();
    }
    assert.deepEqual(load.faults, []);
    await checkLists(ledger, client);
  }
  const isRefused = async () => {
    const reply = await client.fetch('/account', { headers: { connection: 'close' } });
    return reply.status === 503;
  };
  const isUploadRefused = async () => [503, 507].includes((await firstUpload()).status);

  test('PostgreSQL is restarted', (context) =>
    survive(context, { begin: () => postgres.stop(), refuses: isRefused, end: () => postgres.start() }));

  test('PostgreSQL is frozen for a while', (context) => {
    const signal = async (name: NodeJS.Signals) => {
      for (const pid of await postgres.processes()) process.kill(pid, name);
    };
    return survive(context, { begin: () => signal('SIGSTOP'), refuses: isRefused, end: () => signal('SIGCONT') });
  });

  interface StoreFault {
    what: string;
    fault: S3Fault;
    refuses?: () => Promise<boolean>;
    forMs?: number;
  }
  const storeFaults: StoreFault[] = [
    { what: 'is slow', fault: 'slow' },
    { what: 'refuses with 503', fault: 'overloaded', refuses: isUploadRefused },
    { what: 'is full', fault: 'full', refuses: async () => (await firstUpload()).status === 507 },
    { what: 'resets connections', fault: 'resets', refuses: isUploadRefused },
    { what: 'does its work and loses the reply', fault: 'loses replies', refuses: isUploadRefused },
    { what: 'ends in the middle of what it sends', fault: 'torn', refuses: isUploadRefused },
    { what: 'is unreachable for 20 seconds', fault: 'unreachable', refuses: isUploadRefused, forMs: 20_000 },
  ];
  for (const { what, fault, refuses, forMs } of storeFaults) {
    test(`the store ${what}`, (context) =>
      survive(context, {
        begin() {
          s3.fault = fault;
        },
        ...(refuses ? { refuses } : {}),
        async end() {
          if (forMs !== undefined) await pause(forMs); // the fault itself
          s3.fault = null;
        },
      }));
  }

  for (const index of [0, 1, 2])
    test(`machine ${index} is killed and restarted`, (context) =>
      survive(context, {
        async begin() {
          programs[index]!.signalAll('SIGKILL');
          await programs[index]!.exited;
        },
        serves: async () => (await firstUpload()).status === 200,
        end: () => startMachine(index),
      }));

  test('PostgreSQL fails over to its standby', async (context) => {
    standby = await startStandby(join(folder, 'standby'), postgres);
    await onDatabase(postgres.url, `alter system set synchronous_standby_names = '*'`);
    await onDatabase(postgres.url, 'select pg_reload_conf()');
    await eventually('the standby is in step', async () => {
      const states = await onDatabase(postgres.url, `select 1 from pg_stat_replication where sync_state = 'sync'`);
      return states > 0;
    });
    await survive(context, {
      async begin() {
        for (const pid of await postgres.processes()) process.kill(pid, 'SIGKILL');
      },
      refuses: isRefused,
      async end() {
        await onDatabase(standby!.url, 'select pg_promote()');
        wireTarget.port = Number(new URL(standby!.url).port);
      },
    });
  });

  test('in the end exactly the acknowledged data exists, byte for byte', async () => {
    await checkBytes(ledger, client);
    for (const program of programs) program.signal('SIGTERM');
    for (const program of programs) assert.equal((await program.exited).code, 0);
    await checkRemains(place);
  });
});

/** The number of returned rows. */
async function onDatabase(url: string, statement: string): Promise<number> {
  const connection = new pg.Client({ connectionString: url });
  connection.on('error', () => {});
  await connection.connect();
  try {
    return (await connection.query(statement)).rowCount ?? 0;
  } finally {
    await connection.end();
  }
}
