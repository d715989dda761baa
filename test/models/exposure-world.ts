// A world for exposure statements: two colleagues and a stranger in separate networks. Each step is recorded in a model.
import { newApiKeyAnswer } from '#contract/app/security.ts';
import { endDownloadsOf } from '#server/actions/downloads/crashed-processes.ts';
import { grantBytes } from '#server/actions/downloads/downloads.ts';
import { recordTaken } from '#server/actions/downloads/request-ends.ts';
import { openTicket } from '#server/actions/downloads/tickets.ts';
import type { TestApp } from '#test/kit/app.ts';
import { ApiClient, type Reply } from '#test/kit/client.ts';
import { clickDownload, fetchFile, unknownVisitor } from '#test/kit/downloads.ts';
import { fileUrlOf, sendMessage } from '#test/kit/messages.ts';
import { searched } from '#test/kit/references.ts';
import { untilDownloadsEnd } from '#test/kit/sent.ts';
import { idOf, linkTo, newPerson } from '#test/kit/shared-files.ts';
import { wireForm } from '../kit/wire-form.ts';

type Who = 0 | 1;
export type Step =
  | { do: 'send'; by: Who; toOther: boolean; toOutside: boolean; days: number; size: number }
  | { do: 'link'; by: Who; days: number; size: number }
  | { do: 'take'; which: number; part: number }
  | { do: 'stop' | 'handOver'; which: number }
  | { do: 'extend'; which: number; days: number }
  | { do: 'letIn' | 'turnAway'; which: number; isOutside: boolean }
  | { do: 'key'; by: Who; days: number }
  | { do: 'endKey'; by: Who }
  | { do: 'wait'; hours: number };

export interface Span {
  from: number;
  to: number;
}

export const hour = 3_600_000;
export const day = 24 * hour;
export const outside = 'zoe@harbour.example';
export const forEver = Number.POSITIVE_INFINITY;

export interface Known {
  id: string;
  kind: 'message' | 'link';
  size: number;
  /** The spans in which it could be opened; the last one ends at its present end. */
  open: Span[];
  owners: (Span & { who: Who })[];
  access: Map<string, Span[]>;
  /** The networks of changes to it. */
  touches: { ip: string; at: number }[];
}

/** One request for bytes. Those of one download hand over different bytes. */
export interface Taken {
  download: number;
  owner: Who;
  to: string;
  ip: string;
  /** Id of the key that fetched it; empty for a browser. */
  keyId: string;
  bytes: number;
  at: number;
}

export interface KnownKey extends Span {
  id: string;
  who: Who;
  key: string;
}

class DistantClient extends ApiClient {
  readonly ip: string;
  constructor(url: string, key: string, email: string, ip: string) {
    super(url, key, email);
    this.ip = ip;
  }
  override fetch(path: string, init: RequestInit & { duplex?: 'half' } = {}): Promise<Reply> {
    return super.fetch(path, {
      ...init,
      headers: { ...(init.headers as Record<string, string>), 'x-forwarded-for': this.ip },
    });
  }
}

export class World {
  readonly app: TestApp;
  readonly number: number;
  readonly ips: [string, string, string];
  people: DistantClient[] = [];
  transfers: Known[] = [];
  taken: Taken[] = [];
  keys: KnownKey[] = [];

  constructor(app: TestApp, number: number) {
    this.app = app;
    this.number = number;
    const net = `10.${Math.floor(number / 200)}.${number % 200}`;
    this.ips = [`${net}.1`, `${net}.2`, `${net}.3`];
  }

  get now(): number {
    return this.app.clock.now();
  }

  async begin(): Promise<void> {
    for (const [who, name] of ['ann', 'ben'].entries()) {
      const { url, key, email } = await newPerson(this.app, `${name}${this.number}`);
      this.people.push(new DistantClient(url, key!, email, this.ips[who]!));
      const { id } = await this.app.app.ctx.db.read
        .selectFrom('api_keys')
        .select('id')
        .where('user_id', '=', idOf(this.people[who]!))
        .executeTakeFirstOrThrow();
      this.keys.push({ id, who: who as Who, key: key!, from: this.now, to: forEver });
    }
  }

  async live(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      await this.#take(step);
      // A transfer that is stopped in the instant of its creation was never open.
      this.app.clock.advance(1000);
    }
  }

  #take(step: Step): Promise<void> | undefined {
    switch (step.do) {
      case 'wait':
        this.app.clock.advance(step.hours * hour);
        return;
      case 'send':
      case 'link':
        return this.#make(step);
      case 'take':
        return this.#download(step.which, step.part);
      case 'key':
        return this.#makeKey(step.by, step.days);
      case 'endKey':
        return this.#endKey(step.by);
      default:
        return this.#change(step);
    }
  }

  #lastDay(days: number, from = this.now): { on: string; until: number } {
    const on = new Date(from + days * day).toISOString().slice(0, 10);
    return { on, until: Date.parse(`${on}T00:00:00Z`) + day };
  }

  isOpen({ open }: Known): boolean {
    return open.at(-1)!.to > this.now;
  }

  ownerOf({ owners }: Known): Who {
    return owners.at(-1)!.who;
  }

  isAdmitted({ access }: Known, address: string): boolean {
    return access.get(address)?.at(-1)?.to === forEver;
  }

  async #make(step: Extract<Step, { do: 'send' | 'link' }>): Promise<void> {
    const owner = this.people[step.by]!;
    const { now } = this;
    const { on, until } = this.#lastDay(step.days);
    const common = {
      size: step.size,
      open: [{ from: now, to: until }],
      owners: [{ who: step.by, from: now, to: forEver }],
      touches: [{ ip: owner.ip, at: now }],
    };
    const bytes = 'x'.repeat(step.size);
    if (step.do === 'link') {
      const file = await owner.upload('file.bin', bytes, 'uploadForLink');
      const id = await linkTo(owner, file.id, { expires_at: on });
      this.transfers.push({ ...common, id, kind: 'link', access: new Map() });
      return;
    }
    const other = this.people[1 - step.by]!.email;
    const to = [...(step.toOther ? [other] : []), ...(step.toOutside ? [outside] : [])];
    if (to.length === 0) return;
    const file = await owner.upload('file.bin', bytes, 'uploadForMessage');
    const message = { recipients: to, attachments: [file.id], expires_at: on, bcc_myself: false, send_email: false };
    const { id } = await sendMessage(owner, message);
    const access = new Map(to.map((address) => [address, [{ from: now, to: forEver }]]));
    this.transfers.push({ ...common, id, kind: 'message', access });
  }

  async #change(step: Extract<Step, { which: number }>): Promise<void> {
    const transfer = this.transfers[step.which % Math.max(1, this.transfers.length)];
    if (transfer === undefined) return;
    if (step.do === 'extend') return this.#extend(transfer, step.days);
    if (!this.isOpen(transfer)) return;
    const { now } = this;
    const params = { id: transfer.id };
    const who = this.ownerOf(transfer);
    const owner = this.people[who]!;
    if (step.do === 'handOver') {
      const newOwner = (1 - who) as Who;
      await this.app.admin.expect(200, 'handOverTransfer', {
        params: await searched(this.app.admin, transfer.id),
        body: { to: idOf(this.people[newOwner]!) },
      });
      transfer.owners.at(-1)!.to = now;
      transfer.owners.push({ who: newOwner, from: now, to: forEver });
    } else if (step.do === 'stop') {
      await owner.expect(200, transfer.kind === 'link' ? 'deleteFileLink' : 'deleteMessageAttachments', { params });
      transfer.open.at(-1)!.to = now;
      transfer.touches.push({ ip: owner.ip, at: now });
    } else if (step.do === 'letIn' || step.do === 'turnAway') {
      const address = step.isOutside ? outside : this.people[1 - who]!.email;
      await this.#admit(transfer, address, step.do === 'letIn');
    }
  }

  async #admit(transfer: Known, address: string, isIn: boolean): Promise<void> {
    if (transfer.kind === 'link' || this.isAdmitted(transfer, address) === isIn) return;
    const owner = this.people[this.ownerOf(transfer)]!;
    const params = { id: transfer.id };
    const spans = transfer.access.get(address) ?? [];
    transfer.access.set(address, spans);
    if (isIn) {
      await owner.expect(200, 'addRecipients', { params, body: { recipients: [address], send_email: false } });
      spans.push({ from: this.now, to: forEver });
    } else {
      await owner.expect(200, 'revokeRecipient', { params: { ...params, address } });
      spans.at(-1)!.to = this.now;
    }
    transfer.touches.push({ ip: owner.ip, at: this.now });
  }

  /** By an administrator, even after its expiry. */
  async #extend(transfer: Known, days: number): Promise<void> {
    const last = transfer.open.at(-1)!;
    const isStopped = last.to % day !== 0;
    if (isStopped) return;
    const { on, until } = this.#lastDay(days, Math.max(this.now, last.to));
    await this.app.admin.expect(200, 'extendTransfer', {
      params: await searched(this.app.admin, transfer.id),
      body: { expires_at: on },
    });
    if (last.to > this.now) last.to = until;
    else transfer.open.push({ from: this.now, to: until });
  }

  async #makeKey(who: Who, days: number): Promise<void> {
    const { on, until } = this.#lastDay(days);
    const body = { name: `key ${this.now}`, expires_at: on };
    const reply = await this.people[who]!.expect(200, 'createApiKey', { body });
    const { id, key } = wireForm(newApiKeyAnswer, reply.body).api_key;
    this.keys.push({ id, who, key, from: this.now, to: until });
  }

  async #endKey(who: Who): Promise<void> {
    const key = this.keys.findLast((one) => one.who === who && one.to !== forEver && one.to > this.now);
    if (key === undefined) return;
    await this.people[who]!.expect(200, 'deleteApiKey', { params: { id: key.id } });
    key.to = this.now;
  }

  /** A link by a stranger and in part; a message by the other person, with their newest key and complete. */
  async #download(which: number, part: number): Promise<void> {
    const transfer = this.transfers[which % Math.max(1, this.transfers.length)];
    if (transfer === undefined || !this.isOpen(transfer)) return;
    const owner = this.ownerOf(transfer);
    const { now } = this;
    const bytes = Math.ceil((transfer.size * part) / 100);
    const download = this.taken.length;
    const common = { download, owner, at: now };
    if (transfer.kind === 'link') {
      const ip = this.ips[2];
      if (part % 4 === 0) await this.#crash(transfer.id, ip, { recorded: bytes, granted: transfer.size });
      else await this.#takePart(transfer.id, ip, bytes);
      this.taken.push({ ...common, to: '', ip, keyId: '', bytes });
      transfer.touches.push({ ip, at: now });
    } else {
      const other = this.people[1 - owner]!;
      if (!this.isAdmitted(transfer, other.email)) return;
      const keys = this.keys.filter((one) => one.who === 1 - owner && one.to > now);
      const [oldest, newest] = [keys[0]!, keys.at(-1)!];
      await this.#takeByKey(transfer, newest, other.ip, bytes === transfer.size ? null : `bytes=0-${bytes - 1}`);
      this.taken.push({ ...common, to: other.email, ip: other.ip, keyId: newest.id, bytes });
      transfer.touches.push({ ip: other.ip, at: now });
      if (bytes < transfer.size) {
        // Another key continues it elsewhere.
        const ip = this.ips[2];
        await this.#takeByKey(transfer, oldest, ip, `bytes=${bytes}-`);
        this.taken.push({ ...common, to: other.email, ip, keyId: oldest.id, bytes: transfer.size - bytes });
        transfer.touches.push({ ip, at: now });
      }
    }
    await untilDownloadsEnd(this.app);
  }

  async #takeByKey(transfer: Known, { who, key }: KnownKey, ip: string, range: string | null): Promise<void> {
    const { url, email } = this.people[who]!;
    const reader = new DistantClient(url, key, email, ip);
    const headers: Record<string, string> = range === null ? {} : { range };
    const reply = await reader.fetch(await fileUrlOf(reader, transfer.id), { headers });
    if (reply.status !== 200 && reply.status !== 206) throw new Error(`a recipient was refused: ${reply.status}`);
    await untilDownloadsEnd(this.app);
  }

  /** The process that serves it dies. */
  async #crash(linkId: string, ip: string, bytes: { recorded: number; granted: number }): Promise<void> {
    const { ctx } = this.app.app;
    const { path } = await clickDownload(this.app.url, linkId);
    const bearer = { visitorHash: null, sessionHash: null, proofHash: null, apiKeyId: null, accountId: null };
    const delivery = await openTicket(ctx, path!.split('/')[2]!, { ...bearer, isBare: false, network: '' });
    const caller = { kind: 'anonymous', from: { address: ip, agent: '', requestId: '' } } as const;
    const visitor = { ...unknownVisitor, address: ip };
    const range = { start: 0, end: bytes.granted };
    const grant = await grantBytes(ctx, caller, { delivery, range, visitor, servedBy: 'dead' });
    await recordTaken(ctx, grant, { certain: bytes.recorded, possible: bytes.recorded });
    await endDownloadsOf(ctx, 'dead');
  }

  async #takePart(linkId: string, ip: string, bytes: number): Promise<void> {
    const reply = await fetch(`${this.app.url}/link/${linkId}/download`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': ip,
      },
    });
    const cookie = reply.headers
      .getSetCookie()
      .map((line) => line.split(';', 1)[0])
      .join('; ');
    const headers = { range: `bytes=0-${bytes - 1}`, cookie, 'x-forwarded-for': ip };
    await fetchFile(this.app.url, reply.headers.get('location')!, { headers });
  }
}
