// A stolen data folder without the master key reveals no 16 bytes of a file, name, key or password, nor keys of deleted
// files.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileLinkAnswer } from '#contract/file-links.ts';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { clickDownload, enterPassword, fetchFile } from '#test/kit/downloads.ts';
import type { Engine } from '#test/kit/engines.ts';
import { findTraces, type Secret } from '#test/kit/traces.ts';
import { wireForm } from '../kit/wire-form.ts';

const linkPassword = 'seven lanterns over the canal';
const personPassword = 'nobody counts these bridges twice';
const fileName = 'confidential-merger-plan-of-november.txt';
const adminPassword = 'quiet river under seven lamps';
/** The master key, and queued mails, which are not sealed. */
const notSealed = ['master.key', 'mail'];

describe('the data folder', () => {
  let app: TestApp;
  let folder: string;
  let person: ApiClient;
  const secrets: Secret[] = [];
  const links: string[] = [];
  const text = Buffer.from(
    Array.from({ length: 3_000 }, (_, line) => `line ${line}: the price per share is ${line * 7} crowns\n`).join(''),
  );
  const noise = randomBytes(300_000);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waybill-secrets-'));
    const here: Engine = {
      name: 'a folder that outlives the service',
      create: async () => ({ environment: { WAYBILL_DATA_DIR: folder }, drop: async () => {} }),
    };
    app = await startTestApp(here, { environment: { WAYBILL_ROLE: 'web' } });
    person = await app.person('person', { password: personPassword });
    await live();
  });
  after(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function live(): Promise<void> {
    const whole = await person.upload(fileName, text);
    const chunks = [noise.subarray(0, 100_000), noise.subarray(100_000)];
    let id = '';
    for (const [number, bytes] of [...chunks.entries()].reverse()) {
      const query = { filename: `scan-${fileName}`, chunks: '2', chunk: String(number) };
      const reply = await person.expect(200, 'uploadForMessage', { query, bytes });
      if (reply.text !== '') id = (reply.body as { attachment: { id: string } }).attachment.id;
    }
    await person.expect(200, 'uploadForLink', {
      query: { filename: 'left-behind-half-way.bin', chunks: '2', chunk: '0' },
      bytes: noise.subarray(0, 50_000),
    });
    for (const [attachment, password] of [
      [whole.id, linkPassword],
      [id, undefined],
    ]) {
      const link = { attachment, ...(password === undefined ? {} : { password }) };
      const headers = { 'idempotency-key': `once-and-only-once-${attachment}` };
      const { body } = await person.expect(200, 'createFileLink', { body: { link }, headers });
      links.push(wireForm(fileLinkAnswer, body).link.id);
    }
    await enterPassword(app.url, links[0]!, 'a wrong guess at the password');
    const cookie = await enterPassword(app.url, links[0]!, linkPassword);
    const { path } = await clickDownload(app.url, links[0]!, cookie!);
    assert.ok((await fetchFile(app.url, path!)).bytes.equals(text));
    const login = await app.anonymous.expect(200, 'login', {
      body: { user: { email: person.email, password: personPassword } },
    });
    const account = await person.expect(200, 'getAccount');
    const name = (what: string, value: string) => secrets.push({ name: what, bytes: Buffer.from(value) });
    secrets.push({ name: 'a text file', bytes: text }, { name: 'a file of noise', bytes: noise });
    name('a file name', fileName);
    name('the name of an unfinished upload', 'left-behind-half-way.bin');
    name('the password of a link', linkPassword);
    name('a wrong guess', 'a wrong guess at the password');
    name('the password of a person', personPassword);
    name('the password of the administrator', adminPassword);
    name('an API key', person.key!);
    name('the key of the administrator', app.admin.key!);
    name('the key given at sign-in', (login.body as { user: { api_key: string } }).user.api_key);
    name(
      'the key of a client',
      (account.body as { user: { client_encryption_key: string } }).user.client_encryption_key,
    );
    name('the ticket of a download', path!.split('/')[2]!);
    name('the pass of a browser', cookie!.split('.')[1]!);
    const masterKey = (await readFile(join(folder, 'master.key'), 'utf8')).trim();
    name('the master key in Base64', masterKey);
    secrets.push({ name: 'the master key', bytes: Buffer.from(masterKey, 'base64') });
  }

  test('the search finds a planted secret at any offset', async () => {
    const place = join(folder, 'planted');
    await writeFile(place, Buffer.concat([Buffer.from('padding'), text.subarray(77, 93), Buffer.from('more')]));
    assert.deepEqual(await findTraces(folder, secrets, notSealed), ['a text file in planted']);
    await rm(place);
  });

  test('holds no part of a file, name, key or password while the service runs', async () => {
    assert.deepEqual(await findTraces(folder, secrets, notSealed), []);
  });

  test('holds none after a restart, nor keys of deleted files', async () => {
    const { db } = app.app.ctx;
    const files = await db.read.selectFrom('attachments').select(['id', 'data_key_wrapped']).execute();
    const uploads = await db.read.selectFrom('uploads').select(['id', 'data_key_wrapped']).execute();
    const keys = [...files, ...uploads]
      .filter((row) => row.data_key_wrapped !== null)
      .map((row) => ({ name: `the key of ${row.id}`, bytes: row.data_key_wrapped! }));
    assert.equal(keys.length, 3, 'two files and one unfinished upload');
    assert.equal((await findTraces(folder, keys, notSealed)).length > 0, true, 'they exist as long as they are needed');
    for (const id of links) await person.expect(200, 'deleteFileLink', { params: { id } });
    app.clock.advance(25 * 3_600_000);
    for (const name of ['abandon-uploads', 'remove-erased']) await app.app.jobs.runOnce(name);
    assert.deepEqual(await findTraces(folder, keys, notSealed), []);
    await app.restart();
    assert.deepEqual(await findTraces(folder, [...secrets, ...keys], notSealed), []);
  });
});
