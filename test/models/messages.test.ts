// Messages against a model: sending, downloads, tickets, withdrawal, time, delayed mail, jobs and restarts, in any order.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { inboxAnswer, sentAnswer } from '#contract/messages.ts';
import { onEachEngine, type TestApp } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { type Mailbox, openMailbox } from '#test/kit/mailbox.ts';
import { countersOf, inlineFile, newPerson, readMessage, sendMessage } from '#test/kit/messages.ts';
import { useApp } from '#test/kit/use-app.ts';
import { unpack } from '#test/kit/zip-reader.ts';
import { wireForm } from '../kit/wire-form.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** The delay of a mail after its first, second, … failed attempt, and when attempts end if there were that many. */
const waits = [1, 5, 15, 60, 120, 240].map((minutes) => minutes * minute);
const givenUpAfter = 48 * hour;
const timeLimitMs = 6_000;

interface ModelMail {
  to: string;
  state: 'waiting' | 'sent' | 'cancelled' | 'failed';
  tries: number;
  owedAt: number;
  dueAt: number;
}

interface ModelMessage {
  id: string;
  page: string;
  downloadUrl: string;
  fileUrl: string;
  level: 0 | 3;
  limit: number | null;
  recipients: Who[];
  endsAt: number;
  isWithdrawn: boolean;
  used: Map<string, number>;
  mails: ModelMail[];
}

interface ModelTicket {
  message: ModelMessage;
  path: string;
  endsAt: number;
  isArchive: boolean;
}

interface Model {
  messages: ModelMessage[];
  tickets: ModelTicket[];
}

interface Real {
  app: TestApp;
  mailbox: Mailbox;
  people: Record<Who | 'alice', ApiClient>;
}

type Who = 'bob' | 'carol';
const allRecipients: Who[] = ['bob', 'carol'];

const isLive = (message: ModelMessage, now: number) => !message.isWithdrawn && message.endsAt > now;
const usedBy = (message: ModelMessage, identity: string) => message.used.get(identity) ?? 0;
const mayDownload = (message: ModelMessage, identity: string) =>
  message.limit === null || usedBy(message, identity) < message.limit;
const count = (message: ModelMessage, identity: string) => message.used.set(identity, usedBy(message, identity) + 1);
const pick = <Item>(items: Item[], index: number): Item => items[index % items.length]!;

type Command = fc.AsyncCommand<Model, Real>;

class Send implements Command {
  readonly #input: { level: 0 | 3; limit: number; days: number; isMailed: boolean; recipients: Who[] };
  constructor(input: { level: 0 | 3; limit: number; days: number; isMailed: boolean; recipients: Who[] }) {
    this.#input = input;
  }
  check = () => true;
  async run(model: Model, { app, people }: Real): Promise<void> {
    const { level, limit, days, isMailed, recipients } = this.#input;
    const { alice } = people;
    const now = app.clock.now();
    const lastDay = new Date(now + days * day).toISOString().slice(0, 10);
    const sent = await sendMessage(alice, {
      recipients: recipients.map((who) => people[who].email),
      authorization: level,
      expires_after: limit,
      expires_at: lastDay,
      send_email: isMailed,
      bcc_myself: false,
      attachments: [inlineFile('plan.txt', 'the plan')],
    });
    const [file] = (await readMessage(alice, sent.id)).attachments;
    model.messages.push({
      id: sent.id,
      page: `/message/${sent.id}`,
      downloadUrl: `/message/${sent.id}/download/${file!.id}`,
      fileUrl: file!.url.slice(app.url.length),
      level,
      limit: limit === 0 ? null : limit,
      recipients,
      endsAt: Date.parse(`${lastDay}T00:00:00Z`) + day,
      isWithdrawn: false,
      used: new Map(),
      mails: isMailed
        ? recipients.map((who) => ({ to: people[who].email, state: 'waiting', tries: 0, owedAt: now, dueAt: now }))
        : [],
    });
  }
  toString = () => `send(${JSON.stringify(this.#input)})`;
}

class FetchByKey implements Command {
  readonly #index: number;
  readonly #who: Who | 'alice';
  constructor(index: number, who: Who | 'alice') {
    this.#index = index;
    this.#who = who;
  }
  check = (model: Readonly<Model>) => model.messages.length > 0;
  async run(model: Model, { app, people }: Real): Promise<void> {
    const message = pick(model.messages, this.#index);
    const reply = await people[this.#who].fetch(message.fileUrl);
    const isOpen = isLive(message, app.clock.now());
    if (this.#who === 'alice') {
      if (isOpen) assert.equal(reply.status, 200);
      else assert.ok([404, 410].includes(reply.status), `${reply.status}`);
      return;
    }
    const isPermitted = message.level === 0 || message.recipients.includes(this.#who);
    const identity = message.level === 0 ? '' : people[this.#who].email;
    if (!isOpen || !isPermitted) {
      assert.equal(reply.status, 404);
      return;
    }
    assert.equal(reply.status, mayDownload(message, identity) ? 200 : 410);
    if (reply.status === 200) count(message, identity);
  }
  toString = () => `fetchByKey(${this.#index}, ${this.#who})`;
}

class Press implements Command {
  readonly #index: number;
  readonly #isAll: boolean;
  constructor(index: number, isAll: boolean) {
    this.#index = index;
    this.#isAll = isAll;
  }
  check = (model: Readonly<Model>) => model.messages.length > 0;
  async run(model: Model, { app }: Real): Promise<void> {
    const message = pick(model.messages, this.#index);
    const browser = new Browser(app.url);
    const clicked = await browser.post(this.#isAll ? `${message.page}/download` : message.downloadUrl);
    const isGiven = clicked.location?.startsWith('/dl/') === true;
    const reply = isGiven ? clicked : await browser.get(clicked.location!);
    const now = app.clock.now();
    if (!isLive(message, now)) {
      assert.equal(reply.status, 410);
    } else if (message.level === 3) {
      assert.equal(reply.status, 200);
      assert.match(reply.text, /\/verify\/address/);
    } else if (!mayDownload(message, '')) {
      assert.equal(isGiven, false, 'reported on the page, not by a broken file');
    } else {
      assert.ok(isGiven);
      const endsAt = Math.min(now + day, message.endsAt);
      model.tickets.push({ message, path: reply.location!, endsAt, isArchive: this.#isAll });
    }
  }
  toString = () => `click(${this.#index}, ${this.#isAll ? 'all' : 'one'})`;
}

class UseTicket implements Command {
  readonly #index: number;
  constructor(index: number) {
    this.#index = index;
  }
  check = (model: Readonly<Model>) => model.tickets.length > 0;
  async run(model: Model, { app }: Real): Promise<void> {
    const [ticket] = model.tickets.splice(this.#index % model.tickets.length, 1);
    const { message, path, endsAt, isArchive } = ticket!;
    const reply = await new Browser(app.url).get(path);
    const isGood = isLive(message, app.clock.now()) && endsAt > app.clock.now() && mayDownload(message, '');
    if (isGood) {
      assert.equal(reply.status, 200);
      const files = isArchive ? unpack(reply.bytes) : [{ name: 'plan.txt', bytes: reply.bytes }];
      assert.deepEqual(
        files.map(({ name, bytes }) => [name, bytes.toString()]),
        [['plan.txt', 'the plan']],
      );
      count(message, '');
    } else {
      assert.ok([404, 410].includes(reply.status), `${reply.status}`);
    }
  }
  toString = () => `useTicket(${this.#index})`;
}

class Withdraw implements Command {
  readonly #index: number;
  constructor(index: number) {
    this.#index = index;
  }
  check = (model: Readonly<Model>) => model.messages.length > 0;
  async run(model: Model, { people }: Real): Promise<void> {
    const message = pick(model.messages, this.#index);
    const reply = await people.alice.call('deleteMessageAttachments', { params: { id: message.id } });
    assert.equal(reply.status, message.isWithdrawn ? 422 : 200);
    message.isWithdrawn = true;
    for (const mail of message.mails) if (mail.state === 'waiting') mail.state = 'cancelled';
  }
  toString = () => `withdraw(${this.#index})`;
}

class SendMail implements Command {
  readonly #isAccepting: boolean;
  constructor(isAccepting: boolean) {
    this.#isAccepting = isAccepting;
  }
  check = () => true;
  async run(model: Model, { app, mailbox }: Real): Promise<void> {
    const now = app.clock.now();
    mailbox.transport.answer = this.#isAccepting ? null : () => ({ outcome: 'deferred', reason: '451 later' });
    const left = (await mailbox.post(app))
      .filter(({ kind }) => kind === 'message')
      .map(({ about, to }) => `${about} ${to}`);
    const expected: string[] = [];
    for (const message of model.messages) {
      for (const mail of message.mails.filter(({ state, dueAt }) => state === 'waiting' && dueAt <= now)) {
        if (!isLive(message, now)) {
          mail.state = 'cancelled'; // no mail links to an ended transfer
        } else if (this.#isAccepting) {
          mail.state = 'sent';
          expected.push(`${message.id} ${mail.to}`);
        } else if (mail.owedAt + givenUpAfter <= now && mail.tries >= waits.length) {
          mail.state = 'failed';
        } else {
          mail.dueAt = now + waits[Math.min(mail.tries, waits.length - 1)]!;
          mail.tries++;
        }
      }
    }
    assert.deepEqual(left.sort(), expected.sort());
  }
  toString = () => `sendMail(${this.#isAccepting ? 'accepted' : 'put off'})`;
}

class Wait implements Command {
  readonly #ms: number;
  constructor(ms: number) {
    this.#ms = ms;
  }
  check = () => true;
  async run(_model: Model, { app }: Real): Promise<void> {
    app.clock.advance(this.#ms);
  }
  toString = () => `wait(${this.#ms / minute} minutes)`;
}

class RunJob implements Command {
  readonly #name: string;
  constructor(name: string) {
    this.#name = name;
  }
  check = () => true;
  async run(_model: Model, { app }: Real): Promise<void> {
    assert.equal(typeof (await app.app.jobs.runOnce(this.#name)), 'string');
  }
  toString = () => `job(${this.#name})`;
}

class Restart implements Command {
  check = () => true;
  async run(_model: Model, { app }: Real): Promise<void> {
    await app.restart();
  }
  toString = () => 'restart';
}

class CheckViews implements Command {
  check = (model: Readonly<Model>) => model.messages.length > 0;
  async run(model: Model, { app, people }: Real): Promise<void> {
    const now = app.clock.now();
    const ours = (messages: { id: string }[]) =>
      messages.map(({ id }) => id).filter((id) => model.messages.some((message) => message.id === id));
    const { body } = await people.alice.expect(200, 'listSent');
    assert.equal(ours(wireForm(sentAnswer, body).sent).length, model.messages.length);
    for (const who of allRecipients) {
      const reply = await people[who].expect(200, 'listInbox');
      const live = model.messages.filter((message) => message.recipients.includes(who) && isLive(message, now));
      assert.deepEqual(ours(wireForm(inboxAnswer, reply.body).messages).sort(), live.map(({ id }) => id).sort());
    }
    for (const message of model.messages) {
      assert.deepEqual(await countersOf(app, message.id), Object.fromEntries(message.used));
      const { attachments } = await readMessage(people.alice, message.id);
      assert.equal(attachments[0]!.available, isLive(message, now));
      const status = (await new Browser(app.url).get(message.page)).status;
      assert.equal(status, isLive(message, now) ? 200 : 410);
    }
  }
  toString = () => 'lookAround';
}

const index = fc.nat({ max: 20 });
const commands = [
  fc
    .record({
      level: fc.constantFrom(0 as const, 3 as const),
      limit: fc.constantFrom(0, 1, 2),
      days: fc.constantFrom(0, 1, 9),
      isMailed: fc.boolean(),
      recipients: fc.subarray(allRecipients, { minLength: 1 }),
    })
    .map((input) => new Send(input)),
  fc
    .tuple(index, fc.constantFrom('alice' as const, ...allRecipients))
    .map(([which, who]) => new FetchByKey(which, who)),
  fc.tuple(index, fc.boolean()).map(([which, isAll]) => new Press(which, isAll)),
  index.map((which) => new UseTicket(which)),
  fc.constantFrom(minute, 20 * minute, 3 * hour, 13 * hour, 49 * hour).map((ms) => new Wait(ms)),
  fc.boolean().map((isAccepting) => new SendMail(isAccepting)),
  index.map((which) => new Withdraw(which)),
  fc.constantFrom('expire', 'erase-files', 'tidy').map((name) => new RunJob(name)),
  fc.constant(new CheckViews()),
  fc.nat({ max: 3 }).map((chance) => (chance === 0 ? new Restart() : new CheckViews())),
];

onEachEngine('Messages behave as their model', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  let people: Real['people'];
  before(async () => {
    const group = await app.group('Ageless', { api_key_lifetime: 0, message_can_use_anyone: true });
    people = {
      alice: await newPerson(app, 'alice', { group }),
      bob: await newPerson(app, 'bob', { group }),
      carol: await newPerson(app, 'carol', { group }),
    };
  });

  test('in any order of sending, fetching, withdrawing, waiting, mailing, jobs and restarts', async () => {
    let walks = 0;
    const begunAt = performance.now();
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 40, size: 'max' }), async (run) => {
        // Each walk ends, however slow the machine is.
        if (walks++ > 0 && performance.now() - begunAt > timeLimitMs) return;
        // Mails of earlier runs do not count.
        mailbox.transport.answer = null;
        app.clock.advance(5 * hour);
        await mailbox.post(app);
        await fc.asyncModelRun(() => ({ model: { messages: [], tickets: [] }, real: { app, mailbox, people } }), run);
      }),
      { numRuns: 25 },
    );
  });
});
