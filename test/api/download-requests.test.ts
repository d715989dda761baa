// Every request for bytes has a row and, for each file it touched, an event with its caller, range and bytes.
import assert from 'node:assert/strict';
import { before, mock, test } from 'node:test';
import type { z } from 'zod';
import type { exposureStatement } from '#contract/admin/statements.ts';
import { newApiKeyAnswer } from '#contract/app/security.ts';
import type { receipt } from '#contract/receipts.ts';
import { grantBytes } from '#server/actions/downloads/downloads.ts';
import { openTicket } from '#server/actions/downloads/tickets.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { mostRequests, proofIdOf } from '#server/domain/downloads.ts';
import { isoInstant } from '#server/lib/dates.ts';
import { onEachDatabase, onOneEngine } from '#test/kit/app.ts';
import { ApiClient } from '#test/kit/client.ts';
import { someBytes } from '#test/kit/content.ts';
import { clickDownload, openDownload, unknownVisitor } from '#test/kit/downloads.ts';
import { until } from '#test/kit/eventually.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { browserProving, fileUrlOf, newPerson, sendMessage } from '#test/kit/messages.ts';
import { beyondBuffersBytes } from '#test/kit/outside.ts';
import { untilDownloadsEnd } from '#test/kit/sent.ts';
import { linkTo } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '#test/kit/wire-form.ts';

const size = 1000;

onEachDatabase('A request for bytes', (start) => {
  const app = useApp(start, openMailbox().options);
  let alice: ApiClient;
  let bob: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
    bob = await newPerson(app, 'bob');
  });

  const send = async (more: Record<string, unknown> = {}) => {
    const { id: attachment } = await alice.upload('plan.bin', someBytes(size));
    const { id } = await sendMessage(alice, { recipients: [bob.email], attachments: [attachment], ...more });
    return { id, attachment };
  };
  const newKey = async () => {
    const reply = await bob.expect(200, 'createApiKey', {
      body: { name: 'leaked', expires_at: isoInstant(app.clock.now() + 30 * 86_400_000).slice(0, 10) },
    });
    const { id, key } = wireForm(newApiKeyAnswer, reply.body).api_key;
    return { id, client: new ApiClient(app.url, key, bob.email) };
  };
  const take = async (client: ApiClient, path: string, range: string) => {
    assert.equal((await client.fetch(path, { headers: { range: `bytes=${range}` } })).status, 206);
    await untilDownloadsEnd(app);
  };
  const endsOf = async (id: string) => {
    const rows = await app.app.ctx.db.read
      .selectFrom('events')
      .select(['facts', 'actor_kind', 'actor_id', 'remote_ip'])
      .where('object_id', '=', id)
      .where('action', '=', 'download.ended')
      .orderBy('seq')
      .execute();
    return rows.map(({ facts, ...row }): Record<string, unknown> => ({ ...row, ...JSON.parse(facts) }));
  };
  const requestsOf = (id: string) =>
    app.app.ctx.db.read
      .selectFrom('download_requests')
      .innerJoin('downloads', (join) =>
        join
          .onRef('downloads.owner_id', '=', 'download_requests.owner_id')
          .onRef('downloads.number', '=', 'download_requests.number'),
      )
      .selectAll('download_requests')
      .where('message_id', '=', id)
      .orderBy('request')
      .execute();
  const idOfBob = async () =>
    (
      await app.app.ctx.db.read
        .selectFrom('users')
        .select('id')
        .where('email', '=', bob.email)
        .executeTakeFirstOrThrow()
    ).id;

  test('by a second key that continues the download of the first has its own key, range and bytes', async () => {
    const { id } = await send();
    const leaked = await newKey();
    const path = await fileUrlOf(bob, id);
    await take(bob, path, '0-9');
    await take(leaked.client, path, '5-999');
    const [first, second, ...more] = await requestsOf(id);
    assert.deepEqual(more, []);
    assert.deepEqual(
      [first, second].map((row) => [row!.request, row!.range_start, row!.range_end, row!.taken_bytes, row!.outcome]),
      [
        [1, 0, 10, 10, 'complete'],
        [2, 5, 1000, 995, 'complete'],
      ],
    );
    assert.deepEqual([second!.api_key_id, second!.proof_kind, second!.proof_id], [leaked.id, 'api_key', leaked.id]);
    assert.notEqual(first!.api_key_id, leaked.id);
    const ends = await endsOf(id);
    assert.deepEqual(
      ends.map(({ request, from, to, taken, bytes, total }) => ({ request, from, to, taken, bytes, total })),
      [
        { request: 1, from: 0, to: 10, taken: 10, bytes: 10, total: 10 },
        { request: 2, from: 5, to: 1000, taken: 995, bytes: 1000, total: 1005 },
      ],
    );
    const actor = { actor_kind: 'user', actor_id: await idOfBob(), remote_ip: '127.0.0.1' };
    const { actor_kind, actor_id, remote_ip, api_key, proof_kind } = ends[1]!;
    assert.deepEqual(
      { actor_kind, actor_id, remote_ip, api_key, proof_kind },
      { ...actor, api_key: leaked.id, proof_kind: 'api_key' },
    );
  });

  test('counts in statements for its own key with its own bytes, and in the receipt with all', async () => {
    const { id } = await send();
    const leaked = await newKey();
    const path = await fileUrlOf(bob, id);
    await take(bob, path, '0-9');
    await take(leaked.client, path, '5-998');
    const span = { from: isoInstant(app.clock.now() - 1000), to: isoInstant(app.clock.now() + 1000) };
    const stated = async (subject: Record<string, string>) => {
      const { body } = await app.admin.expect(200, 'stateExposure', { body: { exposure: { ...subject, ...span } } });
      return (body as { statement: z.input<typeof exposureStatement> }).statement.findings.left;
    };
    const byKey = await stated({ api_key: leaked.id });
    assert.deepEqual([byKey.downloads, byKey.bytes, byKey.total], [1, 994, 994]);
    const [line] = byKey.list;
    const { request, api_key, from, to, taken, outcome } = line!.requests![0]!;
    assert.deepEqual([request, api_key, from, to, taken, outcome], [2, leaked.id, 5, 999, 994, 'complete']);
    const ofBob = (await stated({ address: bob.email })).list.at(-1)!;
    assert.deepEqual([ofBob.bytes, ofBob.total, ofBob.requests!.length], [999, 1004, 2]);
    const { body } = await alice.expect(200, 'getMessageReceipt', { params: { id } });
    const { downloads } = (body as { receipt: z.input<typeof receipt> }).receipt;
    assert.deepEqual(
      downloads.map(({ bytes, total, whole, requests }) => [bytes, total, whole, requests.map((each) => each.bytes)]),
      [[999, 1004, false, [10, 994]]],
    );
  });

  test('names the browser that confirmed a code, as the confirmation does', async () => {
    const { id, attachment } = await send({ recipients: ['ben@harbour.example'], authorization: 3 });
    const browsers: string[] = [];
    for (const range of ['0-9', '10-999']) {
      const ben = await browserProving(app, 'ben@harbour.example');
      browsers.push(proofIdOf(app.app.ctx.keys.hash('proof', ben.cookies.get('local-rcpt')!)));
      const path = (await ben.submit(`/message/${id}/download/${attachment}`)).location!;
      assert.equal((await ben.get(path, { range: `bytes=${range}` })).status, 206);
      await untilDownloadsEnd(app);
    }
    assert.deepEqual(
      (await endsOf(id)).map(({ request, proof_kind, proof_id, bytes }) => [request, proof_kind, proof_id, bytes]),
      [
        [1, 'code', browsers[0], 10],
        [2, 'code', browsers[1], 1000],
      ],
    );
  });

  test('is refused once there are too many of one download', async () => {
    const { id: attachment } = await alice.upload('plan.bin', someBytes(size));
    const { path } = await clickDownload(app.url, await linkTo(alice, attachment));
    const { ctx } = app.app;
    const bearer = {
      visitorHash: null,
      sessionHash: null,
      proofHash: null,
      apiKeyId: null,
      isBare: false,
      accountId: null,
      network: '',
    };
    const delivery = await openTicket(ctx, path!.split('/')[2]!, bearer);
    const grant = () =>
      grantBytes(ctx, systemCaller, { delivery, range: { start: 0, end: 1 }, visitor: unknownVisitor, servedBy: '' });
    const { request, number } = await grant();
    assert.equal(request, 1);
    await ctx.db.write((tx) =>
      tx
        .updateTable('download_requests')
        .set({ request: mostRequests(size) - 1 })
        .where('number', '=', number)
        .where('owner_id', '=', delivery.ticket.ownerId)
        .execute(),
    );
    assert.equal((await grant()).request, mostRequests(size));
    await assert.rejects(grant(), { code: 'download.used_up' });
  });
});

onOneEngine('A running request', (start) => {
  const app = useApp(start);
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });

  const rowOf = () =>
    app.app.ctx.db.read
      .selectFrom('download_requests')
      .select(['outcome', 'taken_bytes', 'progress_at'])
      .orderBy('started_at', 'desc')
      .orderBy('number', 'desc')
      .executeTakeFirst();
  const begin = async (bytes: number) => {
    const { id } = await alice.upload('large.bin', someBytes(bytes));
    const { path } = await clickDownload(app.url, await linkTo(alice, id));
    return openDownload(app.url, path!);
  };

  test('is recorded every three seconds while its reader waits', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      const running = await begin(beyondBuffersBytes);
      assert.equal((await rowOf())!.outcome, 'running');
      await until(async () => {
        mock.timers.tick(3000);
        return (await rowOf())!.taken_bytes > 0;
      });
      running.cut();
    } finally {
      mock.timers.reset();
    }
    await untilDownloadsEnd(app);
  });

  test('is recorded every four megabytes, however fast they go', async () => {
    const step = 4 * 2 ** 20;
    const recorded: number[] = [];
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      const running = await begin(40 * 2 ** 20);
      const { rest } = running;
      const whole = rest();
      await until(async () => {
        const row = (await rowOf())!;
        if (row.outcome !== 'running') return true;
        if (row.taken_bytes !== recorded.at(-1)) recorded.push(row.taken_bytes);
        return false;
      });
      assert.ok((await whole).isWhole);
    } finally {
      mock.timers.reset();
    }
    assert.ok(
      recorded.some((bytes) => bytes >= step),
      `recorded ${recorded.join(', ')}`,
    );
  });
});
