// A person leaves, or a directory or SCIM switches them off, while other processes run their streams: downloads, uploads and
// events end there although clients continue.
import assert from 'node:assert/strict';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { after, before, test } from 'node:test';
import type { z } from 'zod';
import { downloadsAnswer } from '#contract/admin/downloads.ts';
import type { leaveStatement } from '#contract/admin/statements.ts';
import { fileRequestAnswer } from '#contract/file-requests.ts';
import { ApiClient } from '#test/kit/client.ts';
import { clickDownload } from '#test/kit/downloads.ts';
import { databases } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/eventually.ts';
import { follow } from '#test/kit/follow.ts';
import { fileUrlOf, sendMessage } from '#test/kit/messages.ts';
import { createInstallation, type Installation } from '#test/kit/program.ts';
import { ScimClient, scimToken } from '#test/kit/scim-client.ts';
import { freePorts } from '#test/kit/servers/child.ts';
import {
  personDn,
  type Slapd,
  slapdAdmin,
  slapdBase,
  slapdEntries,
  slapdPassword,
  slapdRequirement,
  startSlapd,
} from '#test/kit/servers/slapd.ts';
import { idOf, share } from '#test/kit/shared-files.ts';
import { wireForm } from '../kit/wire-form.ts';

const everyMs = 250;
/** At this pace reading takes minutes, and the connection is never idle. */
const [bigBytes, readBytes] = [16 * 1024 * 1024, 16 * 1024];

let place: Installation;
/** Where the streams run; the call goes to the first process. */
let elsewhere: string;
let third: string;
let slapd: Slapd | null = null;

const directoryPerson = { uid: 'dora', mail: 'dora@example.com', password: 'dora secret' };
const directorySettings = ({ url }: Slapd) => ({
  WAYBILL_LDAP_URL: url,
  WAYBILL_LDAP_BIND_DN: slapdAdmin,
  WAYBILL_LDAP_BIND_PASSWORD: slapdPassword,
  WAYBILL_LDAP_BASE_DN: slapdBase,
  WAYBILL_LDAP_PROVISION: 'all',
  WAYBILL_LDAP_SYNC: '10s',
});

before(async () => {
  const engine = databases.at(-1)!;
  if (slapdRequirement.isMet()) slapd = await startSlapd(slapdEntries([directoryPerson, { uid: 'stays' }], {}));
  place = await createInstallation(engine, {
    WAYBILL_WORKERS: '1',
    WAYBILL_SCIM_TOKEN: scimToken,
    // The directory would switch off people whom it does not have.
    WAYBILL_SCIM_SERVICE: 'of-its-own',
    ...(slapd === null ? {} : directorySettings(slapd)),
  });
  await place.start();
  [elsewhere, third] = [await startAnother(), await startAnother()];
});
after(async () => {
  await place.drop();
  await slapd?.remove();
});

async function startAnother(): Promise<string> {
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  await place.start({ environment: { WAYBILL_LISTEN: `127.0.0.1:${port}`, WAYBILL_BASE_URL: url } });
  await eventually('another process is ready', async () => (await fetch(`${url}/readyz`)).status === 200);
  return url;
}

async function newPerson(name: string): Promise<ApiClient> {
  const email = `${name}@example.com`;
  await place.admin.expect(200, 'createUser', { body: { user: { email, name } } });
  const { body } = await place.admin.expect(200, 'getApiKey', { query: { email } });
  return new ApiClient(elsewhere, (body as { user: { api_key: string } }).user.api_key, email);
}

const keyHeader = (client: ApiClient) => ({
  authorization: `Basic ${Buffer.from(`${client.key}:x`).toString('base64')}`,
  accept: 'application/json',
});

/** An endless body that begins like this. Resolves when the server has asked for it. */
async function sendForEver(path: string, headers: Record<string, string>, [first, more]: [string, string]) {
  const outgoing = request(`${elsewhere}${path}`, {
    method: 'POST',
    agent: false,
    headers: { ...headers, expect: '100-continue', 'transfer-encoding': 'chunked' },
  });
  const ended = endOf(outgoing);
  outgoing.flushHeaders();
  const invited = new Promise<null>((resolve) => outgoing.once('continue', () => resolve(null)));
  const refusal = await Promise.race([invited, ended]);
  assert.equal(refusal, null, `${path} was refused: ${refusal}`);
  outgoing.write(first);
  const timer = setInterval(() => outgoing.write(more), everyMs);
  void ended.then(() => clearInterval(timer));
  return { ended };
}

function endOf(outgoing: ClientRequest): Promise<string> {
  return new Promise((resolve) => {
    outgoing.on('error', () => resolve('cut')).once('close', () => resolve('cut'));
    outgoing.once('response', (reply: IncomingMessage) => {
      reply.on('error', () => {}).resume();
      resolve(`answered ${reply.statusCode}`);
    });
  });
}

/** Reads a little of a file repeatedly. Resolves with its first bytes. */
async function readSlowly(url: string, headers: Record<string, string>) {
  const outgoing = request(url, { agent: false, headers });
  outgoing.end();
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
  });
  assert.equal(reply.statusCode, 200);
  await new Promise((resolve) => reply.once('readable', resolve));
  const timer = setInterval(() => reply.read(readBytes), everyMs);
  const ended = new Promise<string>((resolve) => {
    reply.on('error', () => {}).once('close', () => resolve(reply.complete ? 'whole' : 'cut'));
  });
  return {
    ended,
    readRest() {
      clearInterval(timer);
      reply.resume();
    },
  };
}

/** Whether the server has ended all downloads; clients may still have to read buffered bytes. */
async function haveDownloadsEnded(atLeast: number): Promise<boolean> {
  const { body } = await place.admin.expect(200, 'listDownloadLog', {});
  const { downloads } = wireForm(downloadsAnswer, body);
  return downloads.length >= atLeast && downloads.every(({ outcome }) => outcome !== 'running');
}

const multipart = { 'content-type': 'multipart/form-data; boundary=cut' };
const ownPage = { ...multipart, accept: 'text/html', 'sec-fetch-site': 'same-origin' };
const part = (field: string, file = '') =>
  `--cut\r\nContent-Disposition: form-data; name="${field}"${file === '' ? '' : `; filename="${file}"`}\r\n\r\n`;

test('all streams of a person who leaves end on the other processes too', async () => {
  const [ann, ben] = [await newPerson('ann'), await newPerson('ben')];
  const bytes = Buffer.alloc(bigBytes, 'x');
  const { linkId } = await share(ann, { bytes });
  const toAnn = await ben.upload('big.bin', bytes, 'uploadForMessage');
  const { id: messageId } = await sendMessage(ben, { recipients: [ann.email], attachments: [toAnn.id] });
  const asked = { recipient: 'zoe@harbour.example', send_email: false };
  const request = await ann.expect(200, 'createFileRequest', { body: { request: asked } });
  const { id: requestId } = wireForm(fileRequestAnswer, request.body).request;
  const key = keyHeader(ann);
  const raw = { ...key, 'content-type': 'application/octet-stream' };
  const some = 'x'.repeat(4096);
  const inline = '{"message":{"recipients":["zoe@harbour.example"],"attachments":[{"filename":"a.bin","data":"';
  const { path, browser } = await clickDownload(elsewhere, linkId);
  const following = await follow(ann);
  const downloads = [
    await readSlowly(`${elsewhere}${path}`, { cookie: browser }),
    await readSlowly(`${elsewhere}${await fileUrlOf(ann, messageId)}`, key),
  ] as const;
  const running: [string, { ended: Promise<unknown> }][] = [
    ['events', { ended: following.ended.then(() => 'cut') }],
    ['a download of their file', downloads[0]],
    ['a download of theirs', downloads[1]],
  ];
  const page = `/requests/${requestId}`;
  const uploads: [string, ...Parameters<typeof sendForEver>][] = [
    ['an upload', '/link/attachments/upload?filename=a.bin', raw, [some, some]],
    ['a chunk', '/link/attachments/upload?filename=b.bin&chunks=2&chunk=0', raw, [some, some]],
    ['a form of a program', '/attachments', { ...key, ...multipart }, [part('Filedata', 'a.bin'), some]],
    ['a message with its file', '/message', { ...key, 'content-type': 'application/json' }, [inline, some]],
    ['a form of a page', page, ownPage, [part('files', 'a.bin') + some, some]],
    ['a form of a page before its file', page, ownPage, [part('note'), 'x'.repeat(512)]],
    ['a file for a request', `${page}/attachments/upload?filename=c.bin`, raw, [some, some]],
  ];
  for (const [what, ...upload] of uploads) running.push([what, await sendForEver(...upload)]);
  const body = { leave: { hand_over_to: null, reason: 'Last day' } };
  const left = await place.admin.expect(200, 'leaveUser', { params: { id: idOf(ann) }, body });
  const { findings } = (left.body as { statement: z.input<typeof leaveStatement> }).statement;
  assert.deepEqual([findings.ended.downloads, findings.ended.uploads], [2, 1], 'the upload in chunks has a row');
  await eventually('the downloads have ended', () => haveDownloadsEnded(2));
  for (const download of downloads) download.readRest();
  const ends = Object.fromEntries(await Promise.all(running.map(async ([what, { ended }]) => [what, await ended])));
  assert.deepEqual(ends, Object.fromEntries(running.map(([what]) => [what, 'cut'])));
});

interface Leaver {
  email: string;
  key: string;
  leave(): Promise<unknown>;
}

const services: Record<string, () => Promise<Leaver>> = {
  async SCIM() {
    const scim = new ScimClient(place);
    const { id } = await scim.create('sam');
    const email = 'sam@example.com';
    const { body } = await place.admin.expect(200, 'getApiKey', { query: { email } });
    const { api_key: key } = (body as { user: { api_key: string } }).user;
    const off = { Operations: [{ op: 'replace', path: 'active', value: false }] };
    return { email, key, leave: () => scim.expect(200, 'PATCH', `/Users/${id}`, off) };
  },
  async 'a directory'() {
    const { uid, mail: email, password } = directoryPerson;
    const reply = await fetch(`${place.url}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ user: { email: uid, password } }),
    });
    const { api_key: key } = ((await reply.json()) as { user: { api_key: string } }).user;
    const remove = `dn: ${personDn(uid)}\nchangetype: delete\n`;
    return { email, key, leave: async () => slapd!.change(remove) };
  },
};

for (const [service, begin] of Object.entries(services))
  test(`all streams of a person whom ${service} switches off end on three processes`, async (context) => {
    if (service !== 'SCIM' && slapd === null) return context.skip('needs slapd');
    const { email, key, leave } = await begin();
    const urls = [place.url, elsewhere, third];
    const clients = urls.map((url) => new ApiClient(url, key, email));
    const ben = await newPerson(`ben-of-${email.slice(0, 3)}`);
    const attachment = await ben.upload('big.bin', Buffer.alloc(bigBytes, 'x'), 'uploadForMessage');
    const sent = await sendMessage(ben, { recipients: [email], attachments: [attachment.id] });
    const path = await fileUrlOf(clients[0]!, sent.id);
    const downloads = await Promise.all(clients.map((client) => readSlowly(`${client.url}${path}`, keyHeader(client))));
    const followings = await Promise.all(clients.map((client) => follow(client)));
    const raw = { ...keyHeader(clients[1]!), 'content-type': 'application/octet-stream' };
    const some = 'x'.repeat(4096);
    const upload = await sendForEver('/link/attachments/upload?filename=a.bin', raw, [some, some]);
    await leave();
    await Promise.all(followings.map(({ ended }) => ended));
    assert.equal(await upload.ended, 'cut');
    await eventually('the downloads have ended', () => haveDownloadsEnded(3));
    for (const download of downloads) download.readRest();
    assert.deepEqual(await Promise.all(downloads.map(({ ended }) => ended)), ['cut', 'cut', 'cut']);
    for (const client of clients) assert.equal((await client.call('getAccount')).status, 401);
  });
