// An organisation with 30 people and 90 messages in three weeks, for the pictures of the README and for trying screens.
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { type Mailbox, openMailbox } from '#test/kit/mailbox.ts';
import { browserProving } from '#test/kit/messages.ts';

export const password = 'seven lamps under a quiet river';
const hourMs = 3_600_000;

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
  /** Ids of the messages, oldest first, with their sender. */
  sent: { id: string; by: ApiClient; recipients: string[] }[];
}

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
  const app = await startTestApp(sqliteAndDisk, {
    ...mailbox.options,
    environment: {
      ...mailbox.options.environment,
      WAYBILL_ADMIN_EMAIL: 'sofia.ek@northlight.example',

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
      ...(index % 4 === 3 ? {} : { group: groups[index % 3]! }),
    };
    people.push({ name, client: await app.person(name, options) });
  }
  const organisation: Organisation = { app, mailbox, people, sent: [] };
  for (let number = 0; number < 90; number += 1) await sendOne(organisation, number, pick);
  await shareAndAsk(organisation, pick);
  for (const { name } of app.app.jobs.jobs) if (name !== 'restore-drill') await app.app.jobs.runOnce(name);
  return organisation;
}

async function sendOne(organisation: Organisation, number: number, pick: (below: number) => number): Promise<void> {
  const { app, mailbox, people, sent } = organisation;
  app.clock.advance((2 + pick(7)) * hourMs);
  const { client } = people[number % 5 === 0 ? 0 : pick(people.length)]!;
  const attachments: string[] = [];
  for (let count = 0; count <= pick(3); count += 1) {
    const [name, size] = files[pick(files.length)]!;
    attachments.push((await client.upload(name, Buffer.alloc(size / 8, number), 'uploadForMessage')).id);
  }
  const recipients = Array.from(
    new Set(
      Array.from(
        { length: 1 + pick(4) },
        () => `${contacts[pick(contacts.length)]}@${partners[pick(partners.length)]}`,
      ),
    ),
  );
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
  sent.push({ id, by: client, recipients });
  await mailbox.post(app);
  if (number % 6 === 0) return;
  for (const recipient of recipients) if (pick(10) < 6) await download(app, mailbox, id, recipient);
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

async function shareAndAsk({ people }: Organisation, pick: (below: number) => number): Promise<void> {
  for (let number = 0; number < 8; number += 1) {
    const { client } = people[pick(6)]!;
    const [name, size] = files[number % files.length]!;
    const { id } = await client.upload(name, Buffer.alloc(size / 8, number), 'uploadForLink');
    await client.expect(200, 'createFileLink', { body: { link: { attachment: id } } });
  }
  for (let number = 0; number < 6; number += 1) {
    const request = {
      recipient: `tender@${partners[number % partners.length]}`,
      subject: `Documents for ${subjects[number]}`,
      message: 'Please upload them here.',
    };
    await people[number % 3]!.client.expect(200, 'createFileRequest', { body: { request } });
  }
}
