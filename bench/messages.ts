// Part `messages`: creating messages compared with creating links, and one message to 500 people over SMTP.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { alternate, type Bench } from './bench.ts';
import { limitRow, type Row, ratioRow } from './table.ts';
import { startWaybill, type Waybill } from './waybill.ts';

export const writers = 16;
const people = 500;
export const files = 3;

export async function measureMessages(bench: Bench): Promise<Row[]> {
  return [await rateRow(bench), ...(await crowdRows(bench))];
}

async function rateRow(bench: Bench): Promise<Row> {
  const server = await startWaybill(bench, { name: 'messages', workers: 1 });
  const ids = await Promise.all(Array.from({ length: files }, (_, index) => uploadSmall(server, `file-${index}.txt`)));
  const message = {
    recipients: ['ben@harbour.example'],
    subject: 'Drawings',
    message: 'Here they are.',
    attachments: ids,
  };
  const turns = [
    () => perSecond(bench, server, '/message', JSON.stringify({ message })),
    () => perSecond(bench, server, '/link', JSON.stringify({ link: { attachment: ids[0] } })),
  ];
  for (const turn of turns) await turn();
  const label = `POST /message with ${files} files, ${writers} connections`;
  bench.say(label);
  const [messages, links] = await alternate(bench.sizes.rounds, turns);
  await server.stop();
  return ratioRow(
    { work: label, unit: '/s' },
    messages!,
    { name: 'POST /link', values: links! },
    { must: 0.5, aim: 0.5 },
  );
}

export async function perSecond(bench: Bench, server: Waybill, path: string, body: string): Promise<number> {
  const head = `POST ${path} HTTP/1.1\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: application/json`;
  const { perSecond: rate, countByStatus } = await bench.load.repeat(
    server.port,
    { head, body },
    writers,
    bench.sizes.requestsMs,
  );
  if (Object.keys(countByStatus).some((status) => status !== '200')) {
    throw new Error(`${path} was answered with ${JSON.stringify(countByStatus)}`);
  }
  return rate;
}

async function crowdRows(bench: Bench): Promise<Row[]> {
  const relay = await startRelay();
  bench.atEnd(relay.stop);
  const environment = { WAYBILL_SMTP_URL: `smtp://127.0.0.1:${relay.port}`, WAYBILL_MAIL_FROM: 'files@bench.example' };
  const server = await startWaybill(bench, { name: 'crowd', workers: 1, environment });
  const recipients = Array.from({ length: people }, (_, index) => `person${index}@harbour.example`);
  const id = await uploadSmall(server, 'plan.txt');
  bench.say(`one message to ${people} people`);
  const startedAt = performance.now();
  await server.call('POST', '/message', {
    json: {
      message: {
        recipients,
        subject: 'Plan',
        message: 'For all of you.',
        send_email: true,
        bcc_myself: false,
        attachments: [id],
      },
    },
  });
  const answeredMs = performance.now() - startedAt;
  await relay.received(people);
  const handedOverMs = performance.now() - startedAt;
  await server.stop();
  await relay.stop();
  return [
    limitRow(`message to ${people} people, answered`, 's', answeredMs, { must: 1000, aim: 1000 }),
    limitRow(`message to ${people} people, handed to the relay`, 's', handedOverMs, { must: 60_000, aim: 60_000 }),
  ];
}

/** Accepts and counts all mails. */
async function startRelay() {
  let count = 0;
  let wake: () => void = () => {};
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, _session, done) {
      stream.resume();
      stream.once('end', () => {
        count++;
        wake();
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    async received(wanted: number) {
      while (count < wanted) await new Promise<void>((resolve) => (wake = resolve));
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

export async function uploadSmall(server: Waybill, name: string): Promise<string> {
  const answer = await server.call('POST', `/message/attachments/upload?filename=${name}`, { bytes: name });
  return ((await answer.json()) as { attachment: { id: string } }).attachment.id;
}
