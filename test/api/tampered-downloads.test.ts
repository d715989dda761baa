// What a person with all rights on the database could change about downloads and deletions, and who finds it.
import assert from 'node:assert/strict';
import { afterEach, before, test } from 'node:test';
import type { Ctx } from '#server/actions/context.ts';
import { sealAll } from '#server/actions/evidence/seal.ts';
import { verifyLog } from '#server/actions/evidence/verify.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { downloadLine } from '#test/kit/download-lines.ts';
import { raw, removeGuards } from '#test/kit/evidence.ts';
import { fileUrlOf, sendMessage } from '#test/kit/messages.ts';
import { untilDownloadsEnd } from '#test/kit/sent.ts';
import { idOf, newPerson, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

interface Attack {
  name: string;
  change: string;
  /** The field that `evidence verify` and the refusal of the receipt name. */
  field: string;
}

const attacks: Attack[] = [
  { name: 'deletes a line', change: 'delete from downloads', field: 'line' },
  { name: 'changes the bytes of a line', change: 'update downloads set sent_bytes = 7', field: 'bytes' },
  { name: 'raises the bytes of a line', change: 'update downloads set sent_bytes = 2499', field: 'bytes' },
  { name: 'changes the network address', change: "update downloads set remote_ip = '192.0.2.66'", field: 'ip' },
  { name: 'changes the recipient', change: "update downloads set recipient = 'eve@x.example'", field: 'to' },
  { name: 'changes the beginning', change: 'update downloads set granted_at = granted_at - 3600000', field: 'at' },
  { name: 'changes the end', change: 'update downloads set finished_at = finished_at + 7200000', field: 'ended_at' },
  { name: 'calls a download whole', change: "update downloads set outcome = 'complete'", field: 'outcome' },
  { name: 'takes a download back', change: "update downloads set outcome = 'refunded'", field: 'outcome' },
  {
    name: 'moves a line to another file',
    change: "update downloads set attachment_id = '<other>'",
    field: 'attachment',
  },
  { name: 'deletes a request', change: 'delete from download_requests', field: 'request' },
  { name: 'changes what a request took', change: 'update download_requests set taken_bytes = 1', field: 'bytes' },
  { name: 'changes the range of a request', change: 'update download_requests set range_end = 2500', field: 'to' },
  { name: 'changes the key of a request', change: "update download_requests set api_key_id = 'x'", field: 'api_key' },
  { name: 'changes the address of a request', change: "update download_requests set remote_ip = '::9'", field: 'ip' },
  { name: 'calls a request crashed', change: "update download_requests set outcome = 'crashed'", field: 'outcome' },
  {
    name: 'changes the end of a request',
    change: 'update download_requests set ended_at = ended_at + 7200000',
    field: 'ended_at',
  },
];

onEachDatabase('A person with all rights on the database', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let ctx: Ctx;
  let alice: ApiClient;
  let ben: ApiClient;
  let messageId: string;
  let other: string;

  before(async () => {
    ({ ctx } = app.app);
    [alice, ben] = [await newPerson(app, 'alice'), await newPerson(app, 'ben')];
    const attachment = await alice.upload('plan.txt', 'z'.repeat(2500), 'uploadForMessage');
    other = (await alice.upload('other.txt', 'y', 'uploadForMessage')).id;
    messageId = (await sendMessage(alice, { recipients: [ben.email], attachments: [attachment.id] })).id;
    const path = await fileUrlOf(ben, messageId);
    for (const range of ['0-99', '50-199']) await ben.fetch(path, { headers: { range: `bytes=${range}` } });
    await untilDownloadsEnd(app);
    await seal();
    await removeGuards(ctx);
  });

  const seal = async () => {
    app.clock.advance(60_000);
    await sealAll(ctx);
  };
  const tables = ['downloads', 'download_requests'] as const;
  async function copyRows(): Promise<() => Promise<void>> {
    const rows = await Promise.all(tables.map((table) => ctx.db.read.selectFrom(table).selectAll().execute()));
    return () =>
      ctx.db.write(async (tx) => {
        for (const [index, table] of tables.entries()) {
          await tx.deleteFrom(table).execute();
          for (const row of rows[index]!)
            await tx
              .insertInto(table)
              .values(row as never)
              .execute();
        }
      });
  }
  const refusals = async () =>
    (
      await ctx.db.read.selectFrom('events').select('facts').where('action', '=', 'evidence.contradiction').execute()
    ).map(({ facts }) => (JSON.parse(facts) as { field: string }).field);
  const restores: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const restore of restores.splice(0)) await restore();
  });
  const span = { from: '2026-11-01', to: '2026-12-01' };

  test('who changed nothing is not suspected', async () => {
    assert.deepEqual(await verifyLog(ctx).then(({ fault, warnings }) => [fault, warnings]), [null, []]);
    await alice.expect(200, 'getMessageReceipt', { params: { id: messageId } });
    for (const about of [{ user: ben.email }, { address: ben.email }])
      await app.admin.expect(200, 'stateExposure', { body: { exposure: { ...about, ...span } } });
  });

  for (const { name, change, field } of attacks)
    test(`who ${name} is found by the verification, and no receipt and no statement is signed`, async () => {
      const restore = await copyRows();
      restores.push(restore);
      await raw(ctx, change.replace('<other>', other));
      const { fault } = await verifyLog(ctx);
      assert.match(fault ?? 'no fault', new RegExp(`^line 1 of the download log, .*: ${field} `));
      const { body } = await alice.refused(409, 'receipt.contradiction', 'getMessageReceipt', {
        params: { id: messageId },
      });
      assert.match(JSON.stringify(body), new RegExp(`Line 1 .*\\(${field}\\)`));
      await app.admin.refused(409, 'receipt.contradiction', 'stateExposure', {
        body: { exposure: { user: alice.email, ...span } },
      });
      assert.equal((await refusals()).filter((each) => each === field).length, 1, 'recorded once');
      await restore();
      assert.equal((await verifyLog(ctx)).fault, null);
    });

  test('who inserts a line or a request is found, because no event says it', async () => {
    const restore = await copyRows();
    restores.push(restore);
    const [line] = await ctx.db.read.selectFrom('downloads').selectAll().execute();
    await ctx.db.write((tx) =>
      tx
        .insertInto('downloads')
        .values({ ...line!, number: 9 })
        .execute(),
    );
    assert.match((await verifyLog(ctx)).fault!, /^line 9 of the download log, .*no event says it$/);
    await alice.refused(409, 'receipt.contradiction', 'getMessageReceipt', { params: { id: messageId } });
    await restore();
    const [request] = await ctx.db.read.selectFrom('download_requests').selectAll().execute();
    await ctx.db.write((tx) =>
      tx
        .insertInto('download_requests')
        .values({ ...request!, request: 9 })
        .execute(),
    );
    assert.match((await verifyLog(ctx)).fault!, /^line 1 of the download log, .*: request 9 .*no event says it$/);
    await restore();
    assert.equal((await verifyLog(ctx)).fault, null);
  });

  test('who marks a file as erased, or revives an erased one, is found', async () => {
    const kept = await share(alice, { bytes: 40 });
    const gone = await share(alice, { bytes: 40 });
    const rowOf = (id: string) =>
      ctx.db.read
        .selectFrom('attachments')
        .select(['state', 'data_key_wrapped'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
    const set = (id: string, row: Awaited<ReturnType<typeof rowOf>>) =>
      ctx.db.write((tx) => tx.updateTable('attachments').set(row).where('id', '=', id).execute());
    const living = await rowOf(kept.attachmentId);
    await alice.expect(200, 'deleteFileLink', { params: { id: gone.linkId } });
    await seal();
    const erased = await rowOf(gone.attachmentId);
    for (const [id, now, then] of [
      [kept.attachmentId, erased, living],
      [gone.attachmentId, living, erased],
    ] as const) {
      await set(id, now);
      assert.match((await verifyLog(ctx)).fault!, new RegExp(`^the file ${id} and its erasure do not agree`));
      await set(id, then);
      assert.equal((await verifyLog(ctx)).fault, null);
    }
  });

  test('who deletes an event is found by the verification, and by witnesses once it is sealed', async () => {
    const [row] = await ctx.db.read.selectFrom('events').selectAll().where('action', '=', 'download.ended').execute();
    await raw(ctx, `create table kept_event as select * from events where seq = ${row!.seq}`);
    await raw(ctx, `delete from events where seq = ${row!.seq}`);
    assert.match((await verifyLog(ctx)).fault!, /is missing: its row was deleted$/);
    const numbered = ctx.db.dialect === 'postgres' ? 'overriding system value' : '';
    await raw(ctx, `insert into events ${numbered} select * from kept_event`);
    assert.equal((await verifyLog(ctx)).fault, null);
  });

  test('who deletes a line together with its events before they are sealed leaves a gap or nothing', async () => {
    // Named in docs/trust/evidence.md as not found: nothing outside of the database has seen the event yet.
    const line = downloadLine(
      { owner_id: idOf(alice), number: 12, attachment_id: other },
      { message_id: messageId, granted_at: app.clock.now() },
    );
    await ctx.db.write((tx) => tx.insertInto('downloads').values(line).execute());
    await ctx.db.write((tx) => tx.deleteFrom('downloads').where('number', '=', 12).execute());
    assert.equal((await verifyLog(ctx)).fault, null);
  });

  // A clock that is turned back: evidence-delay.test.ts.
  test('who stops sealing, by a stolen lease, is named by the verification', async () => {
    await share(alice, { bytes: 4 });
    app.clock.advance(6 * 60_000);
    const { fault, warnings } = await verifyLog(ctx);
    assert.deepEqual([fault, warnings.length], [null, 1]);
    await sealAll(ctx);
  });
});
