// An organisation with 30 people and 90 messages in three weeks, for the pictures of the README and for trying screens.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { type Mailbox, openMailbox } from '#test/kit/mailbox.ts';
import { browserProving } from '#test/kit/messages.ts';

export const password = 'seven lamps under a quiet river';
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const names =
  `Alice Smith, Ben Carter, Chiara Rossi, Daniel Okafor, Elena Novak, Farid Haddad, Grace Lindqvist, Hugo Martin,
Ines Pereira, Jonas Weber, Karin Holm, Liam Murphy, Mei Tanaka, Nadia Petrova, Oskar Berg, Priya Nair, Quentin Dubois,
Rosa Jiménez, Stefan Krüger, Tove Nilsson, Umar Siddiqui, Vera Kovács, William Stone, Xenia Laskari, Yusuf Demir, Zoë Visser,
Marta Silva, Peter Adams, Lena Brandt, Tom Walker`
    .split(/,\s+/)
    .map((name) => name.trim());

const subjects = [
  'Drawings for the Harbour tender',
  'Signed contract, phase 2',
  'Site photos, week 46',
  'Budget 2027, second draft',
  'Structural report for review',
  'Minutes and action list',
  'Survey data, north quay',
  'Insurance certificates',
  'Model of the pump station',
  'Invoice documents for October',
  'Permit application, complete set',
  'Press pictures for the opening',
  'Noise measurements',
  'Tender clarification 14',
  'Video of the inspection',
];

const files = [
  ['North quay, sections A–F.pdf', 8_400_000],
  ['Cost sheet.xlsx', 412_000],
  ['Site photos.zip', 21_600_000],
  ['Contract, signed.pdf', 1_930_000],
  ['Pump station.ifc', 14_200_000],
  ['Minutes.docx', 88_000],
] as const;

const partners = [
  'harbour.example',
  'stadtwerke.example',
  'lindqvist-partners.example',
  'notary.example',
  'geo.example',
];
const contacts = ['ben', 'office', 'maria.keller', 'j.lindgren', 'tender', 'anna', 'archive'];

export interface Organisation {
  app: TestApp;
  mailbox: Mailbox;
  people: { name: string; client: ApiClient }[];
  /** Sent by the first person to four people, two of whom have downloaded. */
  shown: { id: string; recipient: string };
  close(): Promise<void>;
}

type Office = Pick<Organisation, 'app' | 'mailbox' | 'people'>;

/** Deterministic: the same pictures each time. */
function sequence(): (below: number) => number {
  let state = 7;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

export async function startOrganisation(): Promise<Organisation> {
  const mailbox = openMailbox();
  const backups = await mkdtemp(join(tmpdir(), 'waybill-pictures-'));
  const app = await startTestApp(sqliteAndDisk, {
    ...mailbox.options,
    environment: {
      ...mailbox.options.environment,
      WAYBILL_ADMIN_EMAIL: 'sofia.ek@northlight.example',
      WAYBILL_BACKUP_DIR: backups,
      WAYBILL_ORGANISATION: 'Northlight Engineering',
    },
  });
  const pick = sequence();
  const groups: string[] = [];
  for (const name of ['Engineering', 'Finance', 'Project offices']) groups.push(await app.group(name));
  const people: Organisation['people'] = [];
  for (const [index, name] of names.entries()) {
    app.clock.advance(7000);
    const email = `${name
      .toLowerCase()
      .normalize('NFD')
      .replace(/[^a-z ]/g, '')
      .replace(' ', '.')}@northlight.example`;
    const options = {
      email,
      password,
      ...(index === 3 ? { group: 'system-administrators' } : index % 4 === 3 ? {} : { group: groups[index % 3]! }),
    };
    people.push({ name, client: await app.person(name, options) });
  }
  const office: Office = { app, mailbox, people };
  for (let number = 0; number < 84; number += 1) {
    app.clock.advance((1 + pick(7)) * hourMs);
    await sendOne(office, number, pick);
  }
  const shown = await sendShown(office);
  await share(office, pick);
  await ask(office);
  // A reminder is possible after a day.
  const now = app.clock.now();
  app.clock.advance(2 * dayMs - (now % dayMs) + 7 * hourMs);
  for (let number = 84; number < 89; number += 1) await sendOne(office, number, pick);
  for (const { name } of app.app.jobs.jobs) if (name !== 'restore-drill') await app.app.jobs.runOnce(name);
  await app.admin.expect(200, 'changeBranding', { body: { branding: { colour: '#0e5a6b' } } });
  const close = async () => {
    await app.close();
    await rm(backups, { recursive: true, force: true });
  };
  return { ...office, shown, close };
}

async function sendOne(office: Office, number: number, pick: (below: number) => number): Promise<void> {
  const { app, mailbox, people } = office;
  app.clock.advance(600_000);
  const { client } = people[number % 5 === 0 ? 0 : pick(people.length)]!;
  const attachments: string[] = [];
  for (let count = 0; count <= pick(3); count += 1) {
    const [name, size] = files[pick(files.length)]!;
    attachments.push((await client.upload(name, Buffer.alloc(size / 8, number), 'uploadForMessage')).id);
  }
  const outside = Array.from(
    { length: 1 + pick(4) },
    () => `${contacts[pick(contacts.length)]}@${partners[pick(partners.length)]}`,
  );
  const colleagues = [people[0]!, people[pick(people.length)]!].map((person) => person.client.email);
  const inside = colleagues.filter((email) => email !== client.email);
  const recipients = [...new Set(number % 7 === 3 && inside.length > 0 ? inside : outside)];
  const message = {
    recipients,
    subject: subjects[pick(subjects.length)],
    message: 'Please find the files for our meeting on Thursday. Tell me if something is missing.',
    attachments,
    authorization: number % 6 === 0 ? 3 : 1,
    send_email: true,
  };
  const { body } = await client.expect(200, 'sendMessage', { body: { message } });
  const { id } = (body as { message: { id: string } }).message;
  await mailbox.post(app);
  if (number % 6 === 0) return;
  for (const recipient of recipients) if (pick(10) < 6) await download(app, mailbox, id, recipient);
}

async function sendShown({ app, mailbox, people }: Office): Promise<Organisation['shown']> {
  const { client } = people[0]!;
  const attachments: string[] = [];
  for (const [name, size] of files.slice(0, 3))
    attachments.push((await client.upload(name, Buffer.alloc(size, 1), 'uploadForMessage')).id);
  const recipients = ['ben', 'maria.keller', 'j.lindgren', 'tender'].map((name) => `${name}@harbour.example`);
  const message = {
    recipients,
    names: [
      { address: recipients[0], name: 'Ben Okafor' },
      { address: recipients[1], name: 'Maria Keller' },
      { address: recipients[2], name: 'Johan Lindgren' },
    ],
    subject: 'Drawings for the Harbour tender',
    message:
      'Hi Ben,\nhere are the sections, the cost sheet and the photos. Page 4 is the one to check first.\n\nAlice',
    attachments,
    authorization: 3,
    expires_after: 3,
    send_email: true,
  };
  const { body } = await client.expect(200, 'sendMessage', { body: { message } });
  const { id } = (body as { message: { id: string } }).message;
  await mailbox.post(app);
  for (const recipient of recipients.slice(1, 3)) await download(app, mailbox, id, recipient);
  return { id, recipient: recipients[0]! };
}

/** As a person does who opens the mail and confirms the address. */
async function download(app: TestApp, mailbox: Mailbox, id: string, recipient: string): Promise<void> {
  app.clock.advance(20 * 60_000);
  const mail = mailbox.transport.sent.findLast(
    ({ mail: one }) => one.to === recipient && one.text.includes(`/message/${id}`),
  );
  const address = mail === undefined ? null : new RegExp(`/message/${id}[^\\s]*`).exec(mail.mail.text)![0];
  if (address === null) return;
  const browser = await browserProving(app, recipient);
  const page = await browser.get(address);
  for (const [, action] of page.text.matchAll(/action="([^"]*\/download\/[^"]*)"/g)) {
    const { location } = await browser.submit(action!.replace(app.url, ''));
    if (location !== null) await browser.get(location.replace(app.url, ''));
  }
}

async function share({ people }: Office, pick: (below: number) => number): Promise<void> {
  for (let number = 0; number < 8; number += 1) {
    const { client } = people[number % 2 === 0 ? 0 : pick(6)]!;
    const [name, size] = files[number % files.length]!;
    const { id } = await client.upload(name, Buffer.alloc(size / 8, number), 'uploadForLink');
    await client.expect(200, 'createFileLink', { body: { link: { attachment: id } } });
  }
}

/** Some requests are answered. */
async function ask({ app, mailbox, people }: Office): Promise<void> {
  for (let number = 0; number < 9; number += 1) {
    const request = {
      recipient: `tender@${partners[number % partners.length]}`,
      subject: `Documents for ${subjects[number]}`,
      message: 'Please upload them here.',
    };
    const { body } = await people[number % 3]!.client.expect(200, 'createFileRequest', { body: { request } });
    app.clock.advance(hourMs);
    if (number < 4) await answer(app, (body as { request: { id: string } }).request.id);
  }
  await mailbox.post(app);
}

async function answer(app: TestApp, id: string): Promise<void> {
  const { body } = await app.anonymous.expect(200, 'uploadForRequest', {
    params: { id },
    query: { filename: 'Documents, complete set.pdf' },
    bytes: Buffer.alloc(900_000, 2),
  });
  const { attachment } = body as { attachment: { id: string } };
  const delivery = { attachments: [attachment.id], note: 'All of them, as agreed.' };
  await app.anonymous.expect(200, 'deliverToRequest', { params: { id }, body: { delivery } });
}
