// A person leaves while other processes run their streams: downloads, uploads and events end there although clients
// continue.
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
import { freePorts } from '#test/kit/servers/child.ts';
import { idOf, share } from '#test/kit/shared-files.ts';
import { wireForm } from '../kit/wire-form.ts';

const everyMs = 250;
/** At this pace reading takes minutes, and the connection is never idle. */
const [bigBytes, readBytes] = [16 * 1024 * 1024, 16 * 1024];

let place: Installation;
/** Where the streams run; the call goes to the first process. */
let elsewhere: string;

before(async () => {
  const engine = databases.at(-1)!;
  place = await createInstallation(engine, { WAYBILL_WORKERS: '1' });
  await place.start();
  const [port] = await freePorts(1);
  elsewhere = `http://127.0.0.1:${port}`;
  const second = { WAYBILL_LISTEN: `127.0.0.1:${port}`, WAYBILL_BASE_URL: elsewhere };
  await place.start({ environment: second });
  await eventually('the second process is ready', async () => (await fetch(`${elsewhere}/readyz`)).status === 200);
});
after(() => place.drop());

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
async function haveDownloadsEnded(): Promise<boolean> {
  const { body } = await place.admin.expect(200, 'listDownloadLog', {});
  const { downloads } = wireForm(downloadsAnswer, body);
  return downloads.length === 2 && downloads.every(({ outcome }) => outcome !== 'running');
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
  await eventually('the downloads have ended', haveDownloadsEnded);
  for (const download of downloads) download.readRest();
  const ends = Object.fromEntries(await Promise.all(running.map(async ([what, { ended }]) => [what, await ended])));
  assert.deepEqual(ends, Object.fromEntries(running.map(([what]) => [what, 'cut'])));
});
