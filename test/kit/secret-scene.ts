// An installation with every kind of transfer, visit, mail and fault. Remembers all secrets.
import assert from 'node:assert/strict';
import { attachmentAnswer } from '#contract/attachments.ts';
import { fileRequestAnswer } from '#contract/file-requests.ts';
import { filedropAnswer } from '#contract/filedrops.ts';
import type { MailResult, OutgoingMail } from '#server/domain/ports.ts';
import { createLog } from '#server/lib/log.ts';
import type { StartOptions, TestApp } from './app.ts';
import { Browser, type PageReply } from './browser.ts';
import { ApiClient } from './client.ts';
import { linksIn } from './distant-browser.ts';
import { codeIn, type Mailbox, openMailbox } from './mailbox.ts';
import { inlineFile, readMessage, sendMessage } from './messages.ts';
import { untilDownloadsEnd } from './sent.ts';
import { newPerson, share } from './shared-files.ts';
import { wireForm } from './wire-form.ts';

const ben = 'ben@harbour.example';
const sam = 'sam@elsewhere.example';
export const password = 'seven lamps under a quiet river';

export interface Recording {
  mailbox: Mailbox;
  lines: string[];
  /** Every mail that a transport received, accepted or not. */
  mails: OutgoingMail[];
  options: StartOptions;
}

/** For an installation whose mail server quotes addresses from its mails. */
export function openRecording(): Recording {
  const mailbox = openMailbox();
  const lines: string[] = [];
  const mails: OutgoingMail[] = [];
  mailbox.transport.answer = (mail) => {
    mails.push(mail);
    return answerQuoting(mail);
  };
  const log = createLog({ level: 'debug', format: 'json' }, { write: (line) => void lines.push(line) });
  return { mailbox, lines, mails, options: { ...mailbox.options, log } };
}

function answerQuoting(mail: OutgoingMail): MailResult {
  const quoted = linksIn(mail)
    .map((link) => `<${link}> ${encodeURIComponent(link)}`)
    .join(' ');
  if (mail.to.startsWith('refused')) return { outcome: 'refused', reason: `554 5.7.1 blocked: ${quoted}` };
  if (mail.to.startsWith('later')) return { outcome: 'deferred', reason: `451 4.7.1 suspicious: ${quoted}` };
  if (mail.to.startsWith('broken')) throw new Error(`could not be sent: ${quoted}`);
  return { outcome: 'accepted', serverText: `250 ok ${quoted}` };
}

export interface Scene {
  app: TestApp;
  /** A second System Administrator, an administrator and an auditor who own no transfer. */
  chief: ApiClient;
  boss: ApiClient;
  vera: ApiClient;
  /** The owners of the transfers. */
  alice: ApiClient;
  bob: ApiClient;
  /** Of alice. */
  groupId: string;
  messages: string[];
  link: string;
  lockedLink: string;
  request: string;
  attachment: string;
  erased: string;
  /** Secrets: ids of transfers, and the addresses that mails and redirects contain. */
  secrets: Set<string>;
}

export async function playScene(app: TestApp, recording: Recording): Promise<Scene> {
  const group = await app.group('Open', { message_can_use_anyone: true, filedrop_confirm_sender: false });
  const alice = await newPerson(app, 'alice', { group });
  const bob = await newPerson(app, 'bob');
  const auditors = await app.group('Auditors', { role: 'auditor' });
  const scene: Scene = {
    app,
    alice,
    bob,
    groupId: group,
    chief: await newPerson(app, 'chief', { group: 'system-administrators' }),
    boss: await newPerson(app, 'boss', { group: 'administrators', password }),
    vera: await newPerson(app, 'vera', { group: auditors, password }),
    messages: [],
    link: '',
    lockedLink: '',
    request: '',
    attachment: '',
    erased: '',
    secrets: new Set(),
  };
  await sendMessages(scene);
  await shareFiles(scene);
  await handIn(scene);
  await sendMails(scene, recording);
  await visitMessages(scene, recording);
  await visitLinks(scene);
  await askForStrangePaths(scene);
  await app.anonymous.call('login', { body: { login: { email: alice.email, password: 'wrong' } } });
  await new Browser(app.url).send('/forgot', { email: bob.email });
  await app.admin.expect(200, 'createUser', { body: { user: { email: 'new@example.com', invite: true } } });
  await sendMails(scene, recording);
  for (const job of ['expire', 'erase-files', 'seal-events', 'sum-downloads', 'watch-health', 'tidy'])
    await app.app.jobs.runOnce(job);
  await sendMails(scene, recording);
  // Transfers cannot be given to an account on the day on which an administrator created it.
  app.clock.advance(25 * 3_600_000);
  await guessPassword(scene);
  await rememberSecrets(scene, recording);
  return scene;
}

async function sendMessages(scene: Scene): Promise<void> {
  const others = ['refused', 'refused.too', 'later', 'broken'].map((name) => `${name}@harbour.example`);
  for (const level of [0, 1, 2, 3, 4]) {
    const { id } = await sendMessage(scene.alice, {
      recipients: [ben, scene.bob.email, ...others],
      subject: `Level ${level}`,
      message: 'The plans.',
      send_email: true,
      authorization: level,
      private_message: level === 3,
      attachments: [inlineFile('plan.txt', 'the plan'), inlineFile('costs.txt', 'the costs')],
    });
    scene.messages.push(id);
  }
  const toNobody = { recipients: others, subject: 'To people who do not get it', send_email: true };
  const { id } = await sendMessage(scene.bob, toNobody);
  scene.messages.push(id);
}

async function shareFiles(scene: Scene): Promise<void> {
  const { alice } = scene;
  const shared = await share(alice, { name: 'plan.txt', bytes: 'the plan' });
  [scene.link, scene.attachment] = [shared.linkId, shared.attachmentId];
  const locked = await share(alice, { bytes: 'locked', link: { password: 'open sesame, please' } });
  scene.lockedLink = locked.linkId;
  await share(alice, { bytes: 'for members', link: { require_authentication: true } });
  const gone = await share(alice, { bytes: 'deleted' });
  scene.erased = gone.attachmentId;
  await alice.expect(200, 'deleteFileLink', { params: { id: gone.linkId } });
}

async function handIn(scene: Scene): Promise<void> {
  const { app, alice } = scene;
  const input = { recipient: sam, subject: 'Drawings', message: 'Send them.' };
  const { body } = await alice.expect(200, 'createFileRequest', { body: { request: input } });
  scene.request = wireForm(fileRequestAnswer, body).request.id;
  const page = await new Browser(app.url).sendFiles(`/requests/${scene.request}`, { note: 'Here' }, [
    { name: 'a.txt', bytes: 'a' },
  ]);
  assert.equal(page.status, 200);
  const account = await alice.expect(200, 'getAccount');
  const { filedrop_url: url } = (account.body as { user: { filedrop_url: string } }).user;
  await deliver(app, url.slice(`${app.url}/filedrop/`.length));
  const filedrop = { name: 'accounts', title: 'Accounts', receivers: [alice.email], confirm_sender: false };
  await app.admin.expect(200, 'createSystemDrop', { body: { filedrop } });
  await deliver(app, filedrop.name);
}

async function deliver(app: TestApp, name: string): Promise<void> {
  const params = { name };
  const opened = await app.anonymous.expect(200, 'getFiledrop', { params });
  const visitor = new ApiClient(app.url, wireForm(filedropAnswer, opened.body).filedrop.api_key, '');
  const upload = await visitor.expect(200, 'uploadForFiledrop', { params, query: { filename: 'in.txt' }, bytes: 'in' });
  const { id } = wireForm(attachmentAnswer, upload.body).attachment;
  const message = { from: sam, subject: 'Dropped', message: '', attachments: [id] };
  await visitor.expect(200, 'submitFiledrop', { params, body: { message } });
}

async function sendMails({ app }: Scene, { mailbox }: Recording): Promise<void> {
  await mailbox.post(app);
  app.clock.advance(2 * 60_000);
  await mailbox.post(app);
}

/** Reads each message as an unknown visitor, and as a recipient who proves an address by a mailed code. */
async function visitMessages(scene: Scene, { mailbox }: Recording): Promise<void> {
  const { app } = scene;
  for (const id of scene.messages) {
    const browser = new Browser(app.url);
    await browser.get(`/message/${id}`);
    const target = `message:${id}`;
    await browser.submit('/verify/address', { target, address: ben });
    const [mail] = await mailbox.postTo(app, ben);
    if (mail === undefined) continue;
    await browser.submit('/verify/code', { target, code: 'AAAA-AAAA' });
    await browser.submit('/verify/code', { target, code: codeIn(mail) });
    await browser.get(`/message/${id}`);
    await browser.submit(`/message/${id}/read`);
    const { attachments } = await readMessage(scene.alice, id);
    await fetchClicked(scene, browser, await browser.post(`/message/${id}/download/${attachments[0]!.id}`));
    await fetchClicked(scene, browser, await browser.post(`/message/${id}/download`));
    app.clock.advance(11 * 60_000);
  }
}

/** Follows a click on Download, and remembers the ticket in the address. */
async function fetchClicked({ app, secrets }: Scene, browser: Browser, reply: PageReply): Promise<void> {
  const ticket = /\/dl\/([^/]+)\//.exec(reply.location ?? '')?.[1];
  assert.ok(ticket !== undefined, `no download: ${reply.status} ${reply.location}`);
  secrets.add(ticket);
  await browser.get(reply.location!);
  await untilDownloadsEnd(app);
}

async function visitLinks(scene: Scene): Promise<void> {
  const { app, link } = scene;
  const browser = new Browser(app.url);
  await browser.get(`/link/${link}`);
  const clicked = await browser.post(`/link/${link}/download`);
  await fetchClicked(scene, browser, clicked);
  await loseFile(scene);
  await fetchClicked(scene, new Browser(app.url), await browser.post(`/link/${link}/download`)).catch(() => {});
}

async function guessPassword({ app, lockedLink }: Scene): Promise<void> {
  const browser = new Browser(app.url);
  for (let tries = 0; tries < 11; tries++)
    await browser.submit(`/link/${lockedLink}/password`, { password: `wrong ${tries}` });
}

/** Removes the stored bytes of the linked file, so that its download is a fault. */
async function loseFile({ app, attachment }: Scene): Promise<void> {
  const { db, blobs } = app.app.ctx;
  const parts = await db.read.selectFrom('parts').select('blob_key').where('upload_id', '=', attachment).execute();
  assert.ok(parts.length > 0, 'the file has no parts');
  for (const part of parts) await blobs.erase(part.blob_key);
}

async function askForStrangePaths({ app, messages, link, request }: Scene): Promise<void> {
  const browser = new Browser(app.url);
  const places = [`/link/${link}`, `/message/${messages[0]}`, `/requests/${request}`];
  for (const place of places)
    for (const end of ['/nothing', '%zz', '/download/x', '?lang=de', '/receipt']) await browser.get(`${place}${end}`);
  for (const place of places) await app.anonymous.fetch(place, { method: 'PATCH' }).catch(() => {});
}

/** Parts of addresses that are not secret: names of drop pages, and files of the brand. */
const publicPlaces = /^\/(filedrop|brand|app|docs)(\/|$)/;

async function rememberSecrets({ app, secrets }: Scene, { mails }: Recording): Promise<void> {
  const { read } = app.app.ctx.db;
  for (const table of ['messages', 'file_links', 'file_requests'] as const)
    for (const { id } of await read.selectFrom(table).select('id').execute()) secrets.add(id);
  for (const { id } of await read.selectFrom('uploader_receipts').select('id').execute()) secrets.add(id);
  for (const link of mails.flatMap(linksIn)) {
    const { pathname, searchParams, origin } = new URL(link);
    if (origin !== app.url || publicPlaces.test(pathname)) continue;
    for (const part of [...pathname.split('/'), ...searchParams.values()]) if (part.length >= 20) secrets.add(part);
  }
  assert.ok(secrets.size > 40, `only ${secrets.size} secrets`);
}
