// A world for statements about leavers: Ann, who leaves, Ben, who may inherit, and strangers. Each step is recorded in a
// model.
import type { z } from 'zod';
import type { leaveFindings } from '#contract/admin/statements.ts';
import { transferAnswer } from '#contract/admin/transfers.ts';
import { attachmentAnswer } from '#contract/attachments.ts';
import { deliveryAnswer, fileRequestAnswer } from '#contract/file-requests.ts';
import { filedropAnswer } from '#contract/filedrops.ts';
import { requestReset } from '#server/actions/sessions/one-time-links.ts';
import { systemCaller } from '#server/domain/caller.ts';
import type { TestApp } from '#test/kit/app.ts';
import { ApiClient } from '#test/kit/client.ts';
import { newNetwork } from '#test/kit/distant-browser.ts';
import { browserProving, sendMessage } from '#test/kit/messages.ts';
import { searched } from '#test/kit/references.ts';
import { idOf, linkTo, newPerson } from '#test/kit/shared-files.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { wireForm } from '../kit/wire-form.ts';

export type Findings = z.input<typeof leaveFindings>;
type Kind = 'message' | 'link' | 'request' | 'answer' | 'drop';

export type Step =
  | { do: 'send' | 'link' | 'request'; by: 0 | 1; days: number; size: number; isReusable: boolean }
  | { do: 'answer'; which: number; size: number }
  | { do: 'drop'; size: number; isDelivered: boolean }
  | { do: 'stop' | 'handOver'; which: number }
  | AccessStep
  | { do: 'wait'; hours: number };

type AccessStep =
  | { do: 'key'; days: number }
  | { do: 'session'; isKept: boolean }
  | { do: 'reset' }
  | { do: 'prove' }
  | { do: 'chunk'; size: number }
  | { do: 'openDrop'; isOpen: boolean };

const hour = 3_600_000;
const day = 24 * hour;
export const keptHours = 720;
const zoe = 'zoe@harbour.example';
const password = 'grey otters under a paper moon';

interface Shared {
  id: string;
  kind: Kind;
  /** 0: Ann, 1: Ben. */
  owner: 0 | 1;
  size: number;
  madeAt: number;
  until: number;
  state: 'open' | 'stopped' | 'answered';
  isReusable: boolean;
}

export class World {
  readonly app: TestApp;
  readonly number: number;
  people: [ApiClient, ApiClient] = [undefined as never, undefined as never];
  alias = '';
  shared: Shared[] = [];
  keys: number[] = [];
  sessions: { until: number; seenAt: number; isKept: boolean }[] = [];
  resetUntil = 0;
  proofs: number[] = [];
  dropKeys: number[] = [];
  chunks: number[] = [];
  isDropOpen = true;
  dropName = '';

  constructor(app: TestApp, number: number) {
    this.app = app;
    this.number = number;
  }

  get now(): number {
    return this.app.clock.now();
  }

  async begin(group: string): Promise<void> {
    this.alias = `ann${this.number}-alias@example.com`;
    const ann = await newPerson(this.app, `ann${this.number}`, { group, password, recipient_aliases: [this.alias] });
    this.people = [ann, await newPerson(this.app, `ben${this.number}`, { group })];
    this.keys = [Number.POSITIVE_INFINITY];
    const { body } = await ann.expect(200, 'getAccount');
    this.dropName = (body as { user: { filedrop_url: string } }).user.filedrop_url.split('/').at(-1)!;
  }

  async live(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      await this.#take(step);
      this.app.clock.advance(1000);
    }
  }

  async #take(step: Step): Promise<void> {
    switch (step.do) {
      case 'wait':
        this.app.clock.advance(step.hours * hour);
        return;
      case 'send':
      case 'link':
      case 'request':
        return this.#make(step);
      case 'answer':
        return this.#answer(step.which, step.size);
      case 'drop':
        return this.#handIn(step.size, step.isDelivered);
      case 'stop':
      case 'handOver':
        return this.#change(step);
      default:
        return this.#access(step);
    }
  }

  #lastDay(days: number): { on: string; until: number } {
    const on = new Date(this.now + days * day).toISOString().slice(0, 10);
    return { on, until: Date.parse(`${on}T00:00:00Z`) + day };
  }

  async #make(step: Extract<Step, { do: 'send' | 'link' | 'request' }>): Promise<void> {
    const owner = this.people[step.by];
    const { on, until } = this.#lastDay(step.days);
    const common = { owner: step.by, madeAt: this.now, until, state: 'open', isReusable: step.isReusable } as const;
    if (step.do === 'request') {
      const request = { recipient: zoe, send_email: false, expires_at: on, multiuse: step.isReusable };
      const { body } = await owner.expect(200, 'createFileRequest', { body: { request } });
      this.shared.push({ ...common, id: wireForm(fileRequestAnswer, body).request.id, kind: 'request', size: 0 });
      return;
    }
    const isLink = step.do === 'link';
    const file = await owner.upload('a.bin', 'x'.repeat(step.size), isLink ? 'uploadForLink' : 'uploadForMessage');
    const id = isLink
      ? await linkTo(owner, file.id, { expires_at: on })
      : (await sendMessage(owner, { recipients: [zoe], attachments: [file.id], expires_at: on })).id;
    this.shared.push({ ...common, id, kind: isLink ? 'link' : 'message', size: step.size });
  }

  async #answer(which: number, size: number): Promise<void> {
    const open = this.shared.filter((one) => one.kind === 'request' && this.isOpen(one));
    const request = open[which % Math.max(1, open.length)];
    if (request === undefined) return;
    const params = { id: request.id };
    const upload = { params, query: { filename: 'in.bin' }, bytes: 'y'.repeat(size) };
    const { attachment } = wireForm(
      attachmentAnswer,
      (await this.app.anonymous.expect(200, 'uploadForRequest', upload)).body,
    );
    const body = { delivery: { attachments: [attachment.id] } };
    const reply = await this.app.anonymous.expect(200, 'deliverToRequest', { params, body });
    await this.#noteDelivery(wireForm(deliveryAnswer, reply.body).delivery.reference, 'answer', request.owner, size);
    if (!request.isReusable) request.state = 'answered';
  }

  /** Submissions at Ann's drop page, completed or waiting under a valid key. */
  async #handIn(size: number, isDelivered: boolean): Promise<void> {
    if (!this.isDropOpen) return;
    const params = { name: this.dropName };
    const looked = await this.app.anonymous.expect(200, 'getFiledrop', { params });
    const visitor = new ApiClient(this.app.url, wireForm(filedropAnswer, looked.body).filedrop.api_key, '');
    const bytes = { params, query: { filename: 'in.bin' }, bytes: 'z'.repeat(size) };
    const upload = await visitor.expect(200, 'uploadForFiledrop', bytes);
    if (!isDelivered) {
      this.dropKeys.push(this.now + day);
      return;
    }
    const { id } = wireForm(attachmentAnswer, upload.body).attachment;
    const message = { from: 'sam@elsewhere.example', attachments: [id] };
    await visitor.expect(200, 'submitFiledrop', { params, body: { message } });
    const delivered = await this.app.app.ctx.db.read
      .selectFrom('messages')
      .select('id')
      .where('owner_id', '=', idOf(this.people[0]))
      .where('origin', '=', 'filedrop')
      .orderBy('created_at', 'desc')
      .executeTakeFirstOrThrow();
    await this.#noteDelivery(delivered.id, 'drop', 0, size);
  }

  async #noteDelivery(id: string, kind: 'answer' | 'drop', owner: 0 | 1, size: number): Promise<void> {
    const { expires_at: on } = await this.transfer(id);
    const until = Date.parse(`${on}T00:00:00Z`) + day;
    this.shared.push({ id, kind, owner, size, madeAt: this.now, until, state: 'open', isReusable: false });
  }

  async #change(step: { do: 'stop' | 'handOver'; which: number }): Promise<void> {
    const open = this.shared.filter((one) => this.isOpen(one));
    const one = open[step.which % Math.max(1, open.length)];
    if (one === undefined) return;
    const params = await searched(this.app.admin, one.id);
    if (step.do === 'stop') {
      await this.app.admin.expect(200, 'stopTransfer', { params, body: {} });
      one.state = 'stopped';
    } else {
      one.owner = one.owner === 0 ? 1 : 0;
      await this.app.admin.expect(200, 'handOverTransfer', { params, body: { to: idOf(this.people[one.owner]) } });
    }
  }

  async #access(step: AccessStep): Promise<void> {
    const [ann] = this.people;
    const { ctx } = this.app.app;
    if (step.do === 'key') {
      const { on, until } = this.#lastDay(step.days);
      const key = { name: `key ${this.now}`, expires_at: on };
      await ann.expect(200, 'createApiKey', { body: key });
      this.keys.push(until);
    } else if (step.do === 'session') await this.#signIn(step.isKept);
    else if (step.do === 'reset') {
      // An account and a network may receive a few per hour.
      if (this.resetUntil > this.now) return;
      const from = { ...systemCaller.from, address: newNetwork() };
      await requestReset(ctx, { ...systemCaller, from }, ann.email);
      this.resetUntil = this.now + hour;
    } else if (step.do === 'prove') {
      // One browser, in which both of her addresses are proven.
      await browserProving(this.app, ann.email, this.alias);
      this.proofs.push(this.now + day);
    } else if (step.do === 'chunk') {
      const query = { filename: 'big.bin', chunks: '2', chunk: '0', upload_id: 'new' };
      await ann.expect(200, 'uploadForLink', { query, bytes: 'p'.repeat(step.size) });
      this.chunks.push(step.size);
    } else {
      await ann.expect(200, 'changeAppDrop', { body: { is_open: step.isOpen } });
      this.isDropOpen = step.isOpen;
    }
  }

  async #signIn(isKept: boolean): Promise<ApiClient> {
    const until = this.now + (isKept ? keptHours : 12) * hour;
    this.sessions.push({ until, seenAt: this.now, isKept });
    return signIn(this.app, this.people[0].email, password, isKept);
  }

  /** Re-enables her, with her password and without her keys. */
  async comeBack(): Promise<void> {
    const [ann] = this.people;
    await this.app.admin.expect(200, 'changeUser', {
      params: { id: idOf(ann) },
      body: { user: { disabled: false } },
    });
    this.people[0] = await this.#signIn(true);
    this.app.clock.advance(1000);
  }

  isOpen(one: Shared): boolean {
    return one.state === 'open' && one.until > this.now;
  }

  async transfer(id: string) {
    return wireForm(
      transferAnswer,
      (await this.app.admin.expect(200, 'getTransfer', { params: await searched(this.app.admin, id) })).body,
    ).transfer;
  }

  /** The expected statement if Ann leaves now; records that she has left. */
  leave(hasNewOwner: boolean): Findings {
    const { now } = this;
    const [ann, ben] = this.people;
    const works = (until: number) => until > now;
    const theirs = this.shared.filter((one) => one.owner === 0 && this.isOpen(one));
    const deliveries = theirs.filter(({ kind }) => kind === 'answer' || kind === 'drop');
    const sent = theirs.filter((one) => !deliveries.includes(one));
    const ended: Findings['ended'] = {
      api_keys: this.keys.filter(works).length,
      sessions: this.sessions.filter((one) => works(one.until) && (one.isKept || one.seenAt + hour >= now)).length,
      password_links: works(this.resetUntil) ? 1 : 0,
      proven_browsers: this.proofs.filter(works).length,
      drop_page: this.isDropOpen,
      drop_keys: this.dropKeys.filter(works).length,
      uploads: this.chunks.length,
      downloads: 0,
    };
    for (const one of hasNewOwner ? theirs : sent) {
      if (hasNewOwner) one.owner = 1;
      else one.state = 'stopped';
    }
    [this.keys, this.sessions, this.proofs, this.dropKeys, this.chunks] = [[], [], [], [], []];
    [this.resetUntil, this.isDropOpen] = [0, false];
    const newOwner = { id: idOf(ben), email: ben.email, name: `ben${this.number}` };
    this.people = [ann, ben];
    return {
      hand_over_to: hasNewOwner ? newOwner : null,
      reason: 'Last day',
      ended,
      handed_over: countsOf(hasNewOwner ? theirs : []),
      stopped: countsOf(hasNewOwner ? [] : sent),
      kept_deliveries: hasNewOwner ? 0 : deliveries.length,
    };
  }
}

function countsOf(some: Shared[]): Findings['stopped'] {
  const count = (...kinds: Kind[]) => some.filter(({ kind }) => kinds.includes(kind)).length;
  return {
    messages: count('message'),
    links: count('link'),
    requests: count('request'),
    deliveries: count('answer', 'drop'),
    bytes: some.reduce((sum, { size }) => sum + size, 0),
    transfers: some
      .toSorted((one, other) => one.madeAt - other.madeAt)
      .map(({ id, kind, size }) => ({ id, kind, size })),
  };
}
