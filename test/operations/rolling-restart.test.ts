// Processes behind nginx with persistent connections are restarted in turn under load; every request succeeds.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { postgresAndDisk } from '#test/kit/engines.ts';
import { until } from '#test/kit/eventually.ts';
import { createInstallation, type Installation, type Program } from '#test/kit/program.ts';
import { findTestServers } from '#test/kit/servers/addresses.ts';
import { freePorts } from '#test/kit/servers/child.ts';
import { findNginx, startNginxWith } from '#test/kit/servers/nginx.ts';

const skip = findNginx() === null || findTestServers() === null ? 'needs nginx and PostgreSQL' : false;
const clientCount = 6;

describe('a rolling restart behind nginx', { skip }, () => {
  let place: Installation;
  let nginx: { stop(): Promise<void> };
  let ports: number[];
  let publicUrl: string;
  /** One single process, and one with two workers and a supervisor. */
  const kinds = [{ WAYBILL_WORKERS: '1' }, { WAYBILL_WORKERS: '2' }];
  const programs: Program[] = [];

  before(async () => {
    const [front, ...behind] = await freePorts(3);
    ports = behind;
    publicUrl = `http://127.0.0.1:${front}`;
    place = await createInstallation(postgresAndDisk, {
      WAYBILL_BASE_URL: publicUrl,
      WAYBILL_TRUST_PROXY: 'loopback',
    });
    for (const at of kinds.keys()) programs[at] = await start(at);
    const servers = ports.map((port) => `server 127.0.0.1:${port} max_fails=0;`).join(' ');
    nginx = await startNginxWith(
      `upstream waybill { ${servers} keepalive 32; }
       server { listen 127.0.0.1:${front}; location / {
         proxy_pass http://waybill; proxy_http_version 1.1; proxy_set_header Connection "";
         proxy_set_header Host $http_host; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
         client_max_body_size 0; proxy_request_buffering off; proxy_buffering off; } }`,
      front!,
    );
  });
  after(async () => {
    await nginx?.stop();
    await place?.drop();
  });

  const start = (at: number) => place.start({ port: ports[at]!, environment: kinds[at]! });

  test('answers every request with 200, reading and writing', async () => {
    const counts = new Map<string, number>();
    let isOver = false;
    const authorization = `Basic ${btoa(`${place.admin.key}:x`)}`;
    const calls = [
      { method: 'GET', path: '/account' },
      { method: 'POST', path: '/link/attachments/upload?filename=small.txt', body: 'small' },
    ];
    const work = async (client: number) => {
      for (let turn = client; !isOver; turn++) {
        const { method, path, body } = calls[turn % 2]!;
        const reply = await fetch(`${publicUrl}${path}`, { method, headers: { authorization }, body: body ?? null });
        const text = await reply.text();
        const answer = reply.status === 200 ? `${method} 200` : `${method} ${reply.status} ${text}`;
        counts.set(answer, (counts.get(answer) ?? 0) + 1);
      }
    };
    const total = () => [...counts.values()].reduce((sum, count) => sum + count, 0);
    const clients = Array.from({ length: clientCount }, (_, client) => work(client));
    for (const at of kinds.keys()) {
      const before = total();
      await until(async () => total() > before + 100);
      programs[at]!.signal('SIGTERM');
      assert.deepEqual(await programs[at]!.exited, { code: 0, signal: null });
      programs[at] = await start(at);
    }
    const before = total();
    await until(async () => total() > before + 100);
    isOver = true;
    await Promise.all(clients);
    assert.deepEqual([...counts.keys()].toSorted(), ['GET 200', 'POST 200'], JSON.stringify([...counts]));
  });
});
