// Repeated kill -9 of processes that owe events to a webhook, a syslog server and a file: no event is lost, and those of an
// object arrive in order.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { eventsAnswer } from '#contract/admin/events.ts';
import { withInstallation } from '#server/app.ts';
import { readConfig } from '#server/config.ts';
import { silentLog } from '#server/lib/log.ts';
import { ApiClient } from '#test/kit/client.ts';
import { databases, sqliteAndDisk } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/eventually.ts';
import { createInstallation, type Installation, type Program } from '#test/kit/program.ts';
import { freePorts } from '#test/kit/servers/child.ts';
import { openSyslogReceiver, type SyslogReceiver } from '#test/kit/syslog-receiver.ts';
import { openWebhookReceiver, type WebhookReceiver } from '#test/kit/webhook-receiver.ts';
import { wireForm } from '../kit/wire-form.ts';

const rounds = 3;
/** Deliveries that the receiver answers in each round before it holds all others. */
const answered = 12;

interface Arrived {
  id: number;
  object_kind: string;
  object_id: string;
}

/** The first arrival of each event. */
function firstArrivals(texts: readonly string[]): Arrived[] {
  const seen = new Map<number, Arrived>();
  for (const text of texts) {
    const event = readEvent(text);
    if (event !== null && !seen.has(event.id)) seen.set(event.id, event);
  }
  return [...seen.values()];
}

/** Null for what a killed process has cut off. */
function readEvent(text: string): Arrived | null {
  try {
    return JSON.parse(text.slice(text.indexOf('{'))) as Arrived;
  } catch {
    return null;
  }
}

function assertInOrder(events: readonly Arrived[], keyOf: (event: Arrived) => string): void {
  for (const [key, sequence] of Map.groupBy(events, keyOf)) {
    const ids = sequence.map(({ id }) => id);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
      `the order of ${key}`,
    );
  }
}

for (const { engine, processes } of [
  { engine: sqliteAndDisk, processes: 1 },
  ...databases.filter((one) => one !== sqliteAndDisk).map((one) => ({ engine: one, processes: 3 })),
])
  describe(`Events owed by ${processes} killed processes (${engine.name})`, () => {
    let place: Installation;
    let webhook: WebhookReceiver;
    let syslog: SyslogReceiver;
    let ports: number[];
    const programs: Program[] = [];
    const held = new Set<ServerResponse>();
    let isStopped = false;

    before(async () => {
      webhook = await openWebhookReceiver();
      syslog = await openSyslogReceiver();
      place = await createInstallation(engine, {
        WAYBILL_WORKERS: '1',
        WAYBILL_WEBHOOK_NETWORKS: 'loopback',
        WAYBILL_SYSLOG_URL: syslog.url,
      });
      place.environment.WAYBILL_EVENTS_FILE = join(place.environment.WAYBILL_DATA_DIR!, 'events.jsonl');
      ports = [Number(new URL(place.url).port), ...(await freePorts(processes - 1))];
    });
    after(async () => {
      isStopped = true;
      await place.drop();
      await webhook.close();
      await syslog.close();
    });

    async function startMissing(): Promise<void> {
      for (const [at, port] of ports.entries())
        if (programs[at] === undefined || !programs[at].child.isRunning()) programs[at] = await place.start({ port });
    }

    const clientOf = (at: number) => new ApiClient(`http://127.0.0.1:${ports[at]}`, place.admin.key, place.admin.email);

    /** People are created and renamed, until the processes are killed. */
    async function work(round: number): Promise<void> {
      const lane = async (at: number) => {
        const client = clientOf(at % processes);
        for (let number = 0; !isStopped; number++) {
          const user = { email: `p${round}-${at}-${number}@example.com`, name: 'New' };
          const { body } = await client.expect(200, 'createUser', { body: { user } });
          const { id } = (body as { user: { id: string } }).user;
          for (const name of ['One', 'Two', 'Three'])
            await client.expect(200, 'changeUser', { params: { id }, body: { user: { name } } });
        }
      };
      await Promise.allSettled([0, 1, 2].map(lane));
    }

    function holdAfter(count: number): void {
      let remaining = count;
      webhook.answer = (_received, response) => {
        if (remaining-- > 0) response.writeHead(204).end();
        else held.add(response.once('close', () => held.delete(response)));
      };
    }

    /** The one that waits for the receiver, and those before it. */
    async function killHolder(): Promise<void> {
      for (const program of programs) {
        program.signalAll('SIGKILL');
        await program.exited;
        for (let turns = 0; turns < 10; turns++) await turn();
        if (held.size === 0) return;
      }
      await eventually('the connections of the killed are closed', async () => held.size === 0);
    }

    const lines = () => {
      const path = place.environment.WAYBILL_EVENTS_FILE!;
      return existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
    };
    const arrived = () => ({
      webhook: firstArrivals(
        webhook.accepted.map(({ body }) => JSON.stringify((JSON.parse(body) as { data: Arrived }).data)),
      ),
      syslog: firstArrivals(syslog.messages),
      file: firstArrivals(lines()),
    });

    test('arrive at least once, and in order for each object', async () => {
      await startMissing();
      await place.admin.expect(200, 'createWebhook', { body: { webhook: { url: webhook.url, events: ['*'] } } });
      let first = 0;
      await eventually('all receivers get events', async () => {
        const { id } = await someEvent(place.admin);
        first = id;
        return Object.values(arrived()).every((events) => events.length > 0);
      });
      for (let round = 0; round < rounds; round++) {
        holdAfter(answered);
        const working = work(round);
        await eventually('events are owed', async () => held.size > 0 && lines().length > round * answered);
        await killHolder();
        webhook.answer = (_received, response) => void response.writeHead(204).end();
        if (!programs.some(({ child }) => child.isRunning())) {
          await endLeases(place);
          await working;
        } else
          await eventually('another process continues', async () => webhook.accepted.length >= (round + 2) * answered);
        await startMissing();
      }
      isStopped = true;
      const owed = await eventsAfter(place.admin, first);
      assert.ok(owed.length >= rounds * answered, 'there was work');
      for (const name of ['webhook', 'syslog', 'file'] as const)
        await eventually(`the ${name} has every event`, async () => {
          const has = new Set(arrived()[name].map(({ id }) => id));
          const missing = owed.filter((id) => !has.has(id));
          if (missing.length > 0) throw new Error(`missing: ${missing.join(', ')}`);
          return true;
        });
      const { webhook: delivered, syslog: sent, file: written } = arrived();
      assertInOrder(delivered, ({ object_kind: kind, object_id: id }) => `${kind}/${id}`);
      assertInOrder(sent, () => 'syslog');
      assertInOrder(written, () => 'the file');
    });
  });

async function someEvent(admin: ApiClient): Promise<{ id: number }> {
  const user = { email: `early${performance.now()}@example.com`, name: 'Early' };
  await admin.expect(200, 'createUser', { body: { user } });
  const { body } = await admin.expect(200, 'listEvents', { query: { action: 'user.created', limit: '1' } });
  return { id: wireForm(eventsAnswer, body).events[0]!.id };
}

async function eventsAfter(admin: ApiClient, first: number): Promise<number[]> {
  const ids: number[] = [];
  for (let after = String(first - 1); ; ) {
    const { body } = await admin.expect(200, 'listEvents', { query: { after, limit: '1000' } });
    const { events, next } = wireForm(eventsAnswer, body);
    ids.push(...events.map(({ id }) => id));
    if (events.length === 0) return ids;
    after = next!;
  }
}

/** As if the processes had been dead for 15 seconds. */
async function endLeases(place: Installation): Promise<void> {
  await withInstallation(readConfig(place.environment), silentLog, (ctx) =>
    ctx.db.write(async (tx) => {
      await tx.updateTable('jobs').set({ lease_ends_at: 0 }).execute();
      await tx.updateTable('webhooks').set({ lease_ends_at: 0 }).execute();
    }),
  );
}
