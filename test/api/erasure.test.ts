import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { z } from 'zod';
import { personExport } from '#contract/admin/user-actions.ts';
import { counterKey, takeAttempt } from '#server/actions/attempts.ts';
import { requestCode } from '#server/actions/codes/codes.ts';
import type { Ctx } from '#server/actions/context.ts';
import { record } from '#server/actions/events.ts';
import { verifyLog } from '#server/actions/evidence/verify.ts';
import { markRewriteDue, rewriteIfDue } from '#server/actions/system/rewriting.ts';
import { erasePerson } from '#server/actions/users/erasure-requests.ts';
import { manageMaintenance } from '#server/commands/maintenance.ts';
import { DatabaseBusy } from '#server/db/engine/errors.ts';
import type { Tables } from '#server/db/schema/schema.ts';
import { addSightings } from '#server/db/system/client-sightings.ts';
import { findRewritingOwed } from '#server/db/system/rewriting.ts';
import { findUserByEmail } from '#server/db/users/users.ts';
import { counterText } from '#server/domain/attempt-limits.ts';
import { type Caller, systemCaller, type UserCaller } from '#server/domain/caller.ts';
import { openFolderTransport } from '#server/mail/folder.ts';
import { sampleMail } from '#server/mail/transport.suite.ts';
import { onEachDatabase, onOneEngine, type TestApp } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { counterRow } from '#test/kit/counters.ts';
import { until } from '#test/kit/eventually.ts';
import { browserProving, inlineFile, readMessage, sendMessage } from '#test/kit/messages.ts';
import { idOf } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '#test/kit/wire-form.ts';

const erase = async (app: TestApp, person: ApiClient) => {
  const erasure = { email: person.email, reason: 'Asked by letter of 3 May' };
  await app.admin.expect(200, 'erasePerson', { params: { id: idOf(person) }, body: { erasure } });
};

async function tablesOf({ db }: Ctx): Promise<string[]> {
  const { rows } = await (db.dialect === 'sqlite'
    ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
    : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`
  ).execute(db.read);
  return rows.map(({ name }) => name);
}

/** As the routes create one from the administrator's key. */
async function adminCaller(app: TestApp): Promise<UserCaller> {
  const user = (await findUserByEmail(app.app.ctx.db.read, app.admin.email))!;
  return { ...systemCaller, ...user, kind: 'user', userId: user.id } as never;
}

/** Runs the second pass of the job, a minute later, and returns the log after it. */
async function finish(app: TestApp): Promise<string | null> {
  app.clock.advance(61_000);
  const said = await app.app.jobs.runOnce('finish-erasures');
  await app.app.jobs.runOnce('seal-events');
  return said;
}

onEachDatabase('an erasure', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let ann: ApiClient;
  let joann: ApiClient;
  let received: string;
  const traces = ['ann@example.com', 'ann-example-com', 'second@example.com', 'Ann ?Quill'];

  /** Every row of every table that contains a match, as `table: row`. */
  async function rowsWith(pattern: RegExp): Promise<string[]> {
    const { read } = app.app.ctx.db;
    const found: string[] = [];
    for (const name of await tablesOf(app.app.ctx)) {
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(read);
      for (const row of rows) {
        const text = JSON.stringify(row, (_, value) => (value instanceof Uint8Array ? 'bytes' : value));
        if (pattern.test(text)) found.push(`${name}: ${text}`);
      }
    }
    return found;
  }
  const visitsTo = (id: string) =>
    app.app.ctx.db.read.selectFrom('message_visits').select('visitor').where('message_id', '=', id).execute();
  const attempts = () =>
    app.app.ctx.db.read.selectFrom('attempts').select('key').where('kind', 'in', ['codes', 'reset']).execute();
  const ofAnn = new RegExp(`(?<![a-z])(?:${traces.join('|')})`, 'i');
  const ofJoann = /joann@example\.com|joann-example-com/;

  before(async () => {
    ann = await app.person('ann');
    joann = await app.person('joann');
    const user = { name: 'Ann Quill', sender_aliases: 'second@example.com' };
    await app.admin.expect(200, 'changeUser', { params: { id: idOf(ann) }, body: { user } });
  });

  async function liveALittle(): Promise<void> {
    const file = inlineFile('ann.txt', 'hello');
    await sendMessage(ann, { recipients: [joann.email], subject: 'From Ann', message: 'x', attachments: [file] });
    const sent = await sendMessage(joann, {
      recipients: [ann.email, 'third@elsewhere.example'],
      subject: 'To Ann',
      message: 'x',
      attachments: [inlineFile('joann.txt', 'hello')],
    });
    received = sent.id;
    // Before the address is confirmed, the visitor is unknown.
    await new Browser(app.url).get(`/message/${received}`);
    const browser = await browserProving(app, ann.email);
    await browser.get(`/message/${received}`);
    const stranger = { kind: 'anonymous', from: { address: '192.0.2.9', requestId: 'r' } } as Caller;
    await requestCode(app.app.ctx, stranger, { target: `message:${received}`, address: ann.email, nonce: 'n' });
    const sighting = { day: '2026-11-16', client: 'AnnQuill-sync', version: '1', code: '', calls: 1 };
    await app.app.ctx.db.write((tx) => addSightings(tx, [sighting]));
    await takeAttempt(app.app.ctx, ['reset'], { name: 'second@example.com' });
    const { attachments } = await readMessage(ann, received);
    const authorization = `Basic ${Buffer.from(`${ann.key}:x`).toString('base64')}`;
    const fetched = await fetch(attachments[0]!.url, { headers: { authorization } });
    assert.equal(await fetched.text(), 'hello');
    // The server records the visit and the end of the download after it sent the page and the bytes.
    const { read } = app.app.ctx.db;
    await until(async () => {
      const events = await read.selectFrom('events').select('seq').where('action', '=', 'download.ended').execute();
      return events.length > 0 && (await read.selectFrom('message_visits').select('visitor').execute()).length > 0;
    });
    await joann.expect(200, 'createFileRequest', { body: { request: { recipient: ann.email, subject: 'Please' } } });
    await ann.expect(200, 'createFileRequest', { body: { request: { recipient: joann.email, subject: 'Please' } } });
    const third = { recipient: 'third@elsewhere.example', subject: 'Please' };
    await joann.expect(200, 'createFileRequest', { body: { request: third } });
    for (const person of [ann, joann])
      await takeAttempt(app.app.ctx, ['reset'], { name: person.email, account: idOf(person) });
    const hold = await app.admin.expect(200, 'setHold', {
      body: { hold: { user: ann.email, reason: 'Ann Quill, ann@example.com' } },
    });
    const { id } = (hold.body as { hold: { id: string } }).hold;
    const { email } = ann;
    const span = { from: '2026-11-01', to: '2026-11-30' };
    for (const about of [{ user: idOf(ann) }, { address: email }])
      await app.admin.expect(200, 'stateExposure', { body: { exposure: { ...about, ...span } } });
    await app.admin.refused(422, 'user.on_hold', 'erasePerson', {
      params: { id: idOf(ann) },
      body: { erasure: { email, reason: 'asked' } },
    });
    await ann.expect(200, 'getAccount');
    await app.admin.expect(200, 'liftHold', { params: { id }, body: { lift: { reason: 'for ann@example.com' } } });
  }

  async function assertExported(): Promise<void> {
    const answer = await app.admin.expect(200, 'exportPerson', { params: { id: idOf(ann) } });
    const { export: copy } = wireForm(z.object({ export: personExport }), answer.body);
    assert.equal(copy.person.name, 'Ann Quill');
    assert.deepEqual([copy.messages_sent.length, copy.messages_received.length, copy.requests.length], [1, 1, 2]);
    assert.deepEqual([copy.downloads.length, copy.files.length, copy.truncated.length], [1, 1, 0]);
    assert.ok(copy.events.some(({ action }) => action === 'message.sent'));
    assert.doesNotMatch(
      JSON.stringify(copy),
      /From Ann|To Ann|ann\.txt|sha256|[0-9a-f]{64}/,
      'no texts, names or checksums',
    );
    const rows = await app.app.ctx.db.read
      .selectFrom('events')
      .select('owner_id')
      .where('action', '=', 'user.exported')
      .execute();
    assert.deepEqual(rows, [{ owner_id: idOf(ann) }]);
  }

  test('leaves no row that names the person, by address, alias, id or name, and every other one', async () => {
    await liveALittle();
    await assertExported();
    await app.app.jobs.runOnce('seal-events');
    assert.equal((await visitsTo(received)).length, 2);
    const counters = (await attempts()).length;
    const others = (await rowsWith(ofJoann)).filter((row) => !ofAnn.test(row));
    assert.ok((await rowsWith(ofAnn)).length > 20, 'there is something to be erased');
    await erase(app, ann);
    assert.deepEqual(await rowsWith(ofAnn), []);
    assert.match((await finish(app)) ?? '', /^1 erasure finished$/);
    assert.deepEqual(await rowsWith(ofAnn), []);
    assert.deepEqual(await rowsWith(/"erasures"/), []);
    const left = new Set(await rowsWith(ofJoann));
    const changing = /^(jobs|users|messages|outbox|message_recipients|download_requests): /;
    assert.deepEqual(
      others.filter((row) => !changing.test(row) && !left.has(row)),
      [],
    );
    assert.equal((await verifyLog(app.app.ctx)).fault, null);
    assert.deepEqual(await visitsTo(received), []);
    assert.ok((await attempts()).length < counters);
    const key = counterKey(app.app.ctx, counterText('reset', { name: 'second@example.com' }));
    assert.ok(!(await attempts()).some((row) => row.key === key));
    const sent = app.app.ctx.db.read
      .selectFrom('events')
      .select(['remote_ip', 'facts'])
      .where('action', '=', 'code.sent');
    assert.deepEqual(
      (await sent.execute()).map((row) => [row.remote_ip, JSON.parse(row.facts).recipient]),
      [['', '']],
    );
  });

  test('closes what others sent to the person only, and replaces the address', async () => {
    const recipients = await app.app.ctx.db.read
      .selectFrom('message_recipients')
      .selectAll()
      .where('message_id', '=', received)
      .orderBy('position')
      .execute();
    assert.match(recipients[0]!.address, /^erased-[a-z0-9_-]+@erased\.invalid$/);
    assert.deepEqual(
      recipients.map(({ state, domain }) => [state, domain]),
      [
        ['revoked', 'erased.invalid'],
        ['active', 'elsewhere.example'],
      ],
    );
    const [revokedAt, other] = recipients.map(({ revoked_at }) => revoked_at);
    const now = app.clock.now();
    assert.ok(revokedAt !== null && now - Number(revokedAt) < 3_600_000, 'the time of closing is stored');
    assert.equal(other, null);
    const { attachments } = await readMessage(joann, received);
    assert.equal(attachments[0]!.filename, 'joann.txt');
  });

  test('lets the same person return as a new one', async () => {
    const again = await app.person('ann');
    assert.equal(idOf(again), 'ann-example-com');
    const { body } = await again.expect(200, 'listReceived', {});
    assert.deepEqual((body as { items: unknown[] }).items, []);
  });

  test('keeps an address that another account has, too', async () => {
    const [one, other] = [await app.person('dora'), await app.person('emil')];
    for (const person of [one, other])
      await app.admin.expect(200, 'changeUser', {
        params: { id: idOf(person) },
        body: { user: { recipient_aliases: 'desk@example.com' } },
      });
    const { id } = await sendMessage(joann, { recipients: ['desk@example.com'], subject: 'Desk', message: 'x' });
    await erase(app, one);
    await finish(app);
    await other.expect(200, 'getMessage', { params: { id } });
  });

  test('keeps an address that was set and never proven, since it may belong to another person', async () => {
    const boss = await app.person('boss', { group: 'administrators' });
    const person = await app.person('tilda');
    const { id } = await sendMessage(app.admin, {
      recipients: ['zoe@harbour.example'],
      subject: 'For Zoe',
      message: 'x',
    });
    await boss.expect(200, 'changeUser', {
      params: { id: idOf(person) },
      body: { user: { sender_aliases: 'zoe@harbour.example' } },
    });
    await erase(app, person);
    await finish(app);
    const { address, state } = await app.app.ctx.db.read
      .selectFrom('message_recipients')
      .select(['address', 'state'])
      .where('message_id', '=', id)
      .executeTakeFirstOrThrow();
    assert.deepEqual([address, state], ['zoe@harbour.example', 'active']);
    assert.deepEqual(
      (await rowsWith(/zoe@harbour/)).filter((row) => /tilda/.test(row)),
      [],
      'no table names the planned new owner',
    );
  });

  test('removes, in its second pass, what was left since the first', async () => {
    const person = await app.person('sven');
    await erase(app, person);
    const { id } = await sendMessage(joann, { recipients: [person.email], subject: 'x', send_email: false });
    assert.ok((await rowsWith(/sven@example/)).length > 0, 'a request that was under way');
    await finish(app);
    assert.deepEqual(await rowsWith(/sven[@-]example/), []);
    await readMessage(joann, id);
  });

  test('resumes after a crash', async () => {
    const person = await app.person('rolf');
    const { ctx } = app.app;
    const { write } = ctx.db;
    let writes = 0;
    const dying: Ctx = {
      ...ctx,
      db: { ...ctx.db, write: (work) => (++writes > 3 ? Promise.reject(new Error('killed')) : write(work)) },
    };
    const caller = await adminCaller(app);
    const input = { email: person.email, reason: 'asked' };
    await assert.rejects(erasePerson(dying, caller, idOf(person), input), /killed/);
    assert.ok((await rowsWith(/rolf-example-com/)).length > 0);
    await finish(app);
    assert.deepEqual(await rowsWith(/rolf[@-]example/), []);
    assert.equal((await verifyLog(ctx)).fault, null);
  });
});

onOneEngine('erasing 1,000 people', (start) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'erasing-'));
  const app = useApp(start, { environment: { WAYBILL_DATA_DIR: dataDir, WAYBILL_ROLE: 'web' } });
  after(() => rm(dataDir, { recursive: true, force: true }));
  const people = 1000;
  const idFor = (number: number) => `person-${number}-people-example`;
  const emailFor = (number: number) => `person-${number}@people.example`;

  /** A thousand copies of a row, each about another person. */
  async function copies<Table extends keyof Tables>(
    table: Table,
    change: (number: number) => Partial<Tables[Table]>,
    count = people,
  ): Promise<void> {
    const { db } = app.app.ctx;
    const like = await db.read.selectFrom(table).selectAll().executeTakeFirstOrThrow();
    await db.write(async (tx) => {
      for (let first = 0; first < count; first += 100) {
        const rows = Array.from({ length: 100 }, (_, at) => ({ ...like, ...change(first + at) }));
        await tx
          .insertInto(table)
          .values(rows as never)
          .execute();
      }
    });
  }

  async function populate(): Promise<void> {
    const ann = await app.person('template');
    await sendMessage(ann, { recipients: ['root@example.com'], subject: 'Hello', message: 'x' });
    const { id } = await sendMessage(app.admin, { recipients: [ann.email], subject: 'Hello', message: 'x' });
    const { ctx } = app.app;
    await copies('users', (number) => ({
      id: idFor(number),
      email: emailFor(number),
      name: `Zebulon ${number}`,
      search_text: `zebulon ${number}\n${emailFor(number)}`,
      proven_addresses: JSON.stringify([emailFor(number)]),
      group_id: 'local-users',
    }));
    await copies(
      'messages',
      (number) => ({
        id: `Message${number}`.padEnd(22, 'x'),
        owner_id: idFor(number),
        sender: emailFor(number),
        sender_name: `Zebulon ${number}`,
      }),
      100,
    );
    await copies('message_recipients', (number) => ({
      message_id: id,
      address: emailFor(number),
      domain: 'people.example',
    }));
    await copies('outbox', (number) => ({
      id: `Mail${number}`.padEnd(22, 'x'),
      recipient: emailFor(number),
      group_key: null,
    }));
    await copies('contact_names', (number) => ({ address: emailFor(number), name: `Zebulon ${number}` }));
    await copies('attempts', (number) => ({ key: `counter ${number}`, about: idFor(number) }));
    await ctx.db.write(async (tx) => {
      for (let number = 0; number < people; number++)
        await record(ctx, tx, systemCaller, {
          action: 'message.reminded',
          object: { kind: 'message', id },
          ownerId: idFor(number),
          facts: { recipient: emailFor(number) },
        });
    });
  }

  async function filesWith(...words: string[]): Promise<string[]> {
    const found: string[] = [];
    for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const bytes = await readFile(join(entry.parentPath, entry.name));
      for (const word of words) if (bytes.includes(word)) found.push(`${entry.name}: ${word}`);
    }
    return found;
  }

  test('leaves a log that verifies, and no trace of them in any file of the data folder', async () => {
    const { ctx, jobs } = app.app;
    await ctx.db.write(async (tx) => {
      await tx
        .insertInto('contact_names')
        .values({ owner_id: 'root-example-com', address: 'x@x.example', name: 'X', updated_at: 0 })
        .execute();
      await tx
        .insertInto('attempts')
        .values(counterRow({ window_ends_at: 2e12 }))
        .execute();
    });
    await populate();
    await jobs.runOnce('seal-events');
    const mails = openFolderTransport(join(dataDir, 'mail'));
    for (let number = 0; number < 10; number++) await mails.send(sampleMail({ to: emailFor(number) }));
    await mails.send(sampleMail({ text: 'Zebulon 7 has sent you something' }));
    await mails.send(sampleMail({ to: 'another-person-1@people.test' }));
    await ctx.db.scrub?.();
    assert.equal((await filesWith('people.example')).length, 11);
    const caller = await adminCaller(app);
    // Sequential, so that no request waits for the database.
    for (let number = 0; number < people; number++)
      await erasePerson(ctx, caller, idFor(number), { email: emailFor(number), reason: 'asked' });
    // Another process reads, a backup for example.
    const { rewrite } = ctx.db;
    ctx.db.rewrite = () => Promise.reject(new DatabaseBusy('another process is reading'));
    assert.equal(await finish(app), `${people} erasures finished`);
    assert.notEqual(await findRewritingOwed(ctx.db.read), null);
    ctx.db.rewrite = rewrite!;
    assert.equal(await jobs.runOnce('finish-erasures'), '0 erasures finished');
    assert.equal(await findRewritingOwed(ctx.db.read), null);
    assert.deepEqual(await filesWith('people.example', 'people-example', 'Zebulon', 'zebulon'), []);
    assert.equal((await filesWith('another-person-1@people.test')).length, 1);
    const { entries, fault } = await verifyLog(ctx);
    assert.equal(fault, null);
    assert.ok(entries > 3 * people);
  });

  test('leaves a file that is too large to the operator’s command', async () => {
    const { ctx } = app.app;
    const lines: string[] = [];
    const listening = { ...ctx, log: { ...ctx.log, warn: (_: object, line: string) => void lines.push(line) } } as Ctx;
    await ctx.db.write((tx) => markRewriteDue(ctx, tx));
    for (const isNew of [true, false]) await rewriteIfDue(listening, { isNew, mostBytes: 4096 });
    assert.equal(lines.length, 1, 'it is logged once');
    assert.match(lines[0]!, /waybill-server maintenance rewrite$/);
    assert.notEqual(await findRewritingOwed(ctx.db.read), null);
    const out: string[] = [];
    const io = { out: (text: string) => void out.push(text), err: assert.fail, readSecret: assert.fail };
    assert.equal(await manageMaintenance(['rewrite'], io, (work) => work(ctx)), 0);
    assert.match(out.join(''), /^✓ The database file was written anew/);
    assert.equal(await findRewritingOwed(ctx.db.read), null);
    const [left] = await readdir(dataDir).then((names) => names.filter((name) => name.startsWith('etilqs')));
    assert.equal(left, undefined, 'no temporary file is left');
  });
});
