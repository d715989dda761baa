// The service behind a virus scanner, and what the scanner and administrators have said about each file.
import assert from 'node:assert/strict';
import { LeaseLost } from '#server/jobs/lease.ts';
import { createScanFiles } from '#server/jobs/scan-files.ts';
import {
  clean,
  infected,
  ScannerSilent,
  type ScanResult,
  type ScanVerdict,
  unscannable,
} from '#server/lib/scanners/scanner.ts';
import type { TestApp } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { createFakeScanner, type FakeScanner } from '#test/kit/fake-scanner.ts';
import type { Mailbox } from '#test/kit/mailbox.ts';
import { readMessage, sendMessage } from '#test/kit/messages.ts';
import { linkTo } from '#test/kit/shared-files.ts';

/** `turning`: infected while the number of the signatures is even. `shy`: its first scan ends without an answer. */
export const natures = ['good', 'bad', 'odd', 'turning', 'shy'] as const;
export type Nature = (typeof natures)[number];
/** `rex` is in a group that lets files through while the scanner is silent, and unscannable ones always. */
export type Owner = 'alice' | 'rex';

interface ModelFile {
  id: string;
  name: string;
  content: string;
  nature: Nature;
  owner: Owner;
  uploadedAt: number;
  /** More than one after a crash, which may have lost the last verdict. */
  verdicts: Set<ScanVerdict | 'none' | 'silent'>;
  isReleased: boolean;
  isErased: boolean;
}

interface ModelMessage {
  id: string;
  files: ModelFile[];
  recipient: string;
  isMailed: boolean;
}

export const silentMs = 60_000;
const password = 'quiet river under seven lamps';

export class ScanningWorld {
  readonly app: TestApp;
  readonly people: Record<Owner, ApiClient>;
  readonly mailbox: Mailbox;
  readonly fake: FakeScanner = createFakeScanner();
  readonly files: ModelFile[] = [];
  readonly messages: ModelMessage[] = [];
  readonly links: { id: string; file: ModelFile }[] = [];
  /** Not used yet. */
  tickets: string[] = [];
  readonly #run: number;
  readonly #answeredOnce = new Set<string>();
  #given = new Map<string, ScanVerdict>();
  readonly #newJob = () => createScanFiles(() => ({ scanner: this.fake, timeoutMs: silentMs }));
  #job = this.#newJob();

  constructor(app: TestApp, people: Record<Owner, ApiClient>, mailbox: Mailbox, run: number) {
    [this.app, this.people, this.mailbox, this.#run] = [app, people, mailbox, run];
    this.fake.judge = (content) => this.#judge(content);
  }

  #judge(content: string): ScanResult {
    const file = this.files.find((one) => one.content === content);
    // Files of earlier runs.
    if (file === undefined) return clean;
    if (file.nature === 'shy' && !this.#answeredOnce.has(content)) {
      this.#answeredOnce.add(content);
      throw new ScannerSilent('no answer');
    }
    const result = this.#resultOf(file.nature);
    this.#given.set(content, result.verdict);
    return result;
  }

  #resultOf(nature: Nature): ScanResult {
    if (nature === 'odd') return unscannable('damaged');
    return nature === 'bad' || (nature === 'turning' && this.fake.signatures % 2 === 0) ? infected('Test') : clean;
  }

  /** What its group does with a verdict. */
  #permits(file: ModelFile, verdict: ScanVerdict | 'none' | 'silent'): boolean {
    return verdict === 'clean' || (file.owner === 'rex' && (verdict === 'unscannable' || verdict === 'silent'));
  }

  mayLeave(file: ModelFile): boolean {
    if (file.isErased) return false;
    return file.isReleased || [...file.verdicts].some((verdict) => this.#permits(file, verdict));
  }

  /** After the last scan. */
  mustLeave(file: ModelFile): boolean {
    if (file.isErased) return false;
    return file.isReleased || this.#permits(file, this.#resultOf(file.nature).verdict);
  }

  /** No byte of a file without a verdict that permits it. */
  receive(bytes: Buffer, way: string): void {
    for (const file of this.files)
      if (!this.mayLeave(file)) assert.ok(!bytes.includes(file.content), `${file.content} left by ${way}`);
  }

  async upload(owner: Owner, nature: Nature): Promise<void> {
    const number = this.files.length;
    const [name, content] = [`f${this.#run}-${number}.bin`, `<${nature} ${this.#run}-${number}>`];
    const { id } = await this.people[owner].upload(name, content);
    const uploadedAt = this.app.clock.now();
    const verdicts: ModelFile['verdicts'] = new Set(['none']);
    this.files.push({ id, name, content, nature, owner, uploadedAt, verdicts, isReleased: false, isErased: false });
  }

  async send(owner: Owner, picks: number[]): Promise<void> {
    const own = this.files.filter((file) => file.owner === owner && !file.isErased);
    const files = [...new Set(picks.map((pick) => own[pick % own.length]!))];
    if (files[0] === undefined) return;
    const recipient = `person${this.#run}-${this.messages.length}@example.com`;
    const attachments = files.map(({ id }) => id);
    const more = { subject: 'x', send_email: true, authorization: 0, expires_after: 0 };
    const { id } = await sendMessage(this.people[owner], { recipients: [recipient], attachments, ...more });
    this.messages.push({ id, files, recipient, isMailed: false });
  }

  async link(pick: number): Promise<void> {
    const file = this.files[pick % this.files.length]!;
    if (!file.isErased) this.links.push({ id: await linkTo(this.people[file.owner], file.id), file });
  }

  /** To the end, or until the process dies before one of its writes to the database. */
  async scan(diesAtWrite: number | null): Promise<string> {
    const { ctx } = this.app.app;
    let writes = 0;
    const write: typeof ctx.db.write = (work) => {
      writes += 1;
      if (diesAtWrite !== null && writes > diesAtWrite) throw new LeaseLost('scan-files');
      return ctx.db.write(work);
    };
    this.#given = new Map();
    const isDead = () => diesAtWrite !== null && writes > diesAtWrite;
    const said = await this.#job.run({ ...ctx, db: { ...ctx.db, write } }, { isConfirmed: false }).catch((error) => {
      if (!isDead()) throw error;
      return 'died';
    });
    for (const file of this.files) this.#learn(file, isDead());
    if (isDead()) this.#job = this.#newJob();
    return said;
  }

  #learn(file: ModelFile, isDead: boolean): void {
    const verdict = this.#given.get(file.content);
    if (verdict !== undefined && !isDead) file.verdicts.clear();
    if (verdict !== undefined) file.verdicts.add(verdict);
    const isOverdue = file.uploadedAt + silentMs <= this.app.clock.now();
    if (this.fake.isDown && isOverdue && file.verdicts.has('none')) file.verdicts.add('silent');
  }

  async restart(): Promise<void> {
    await this.app.restart();
    this.#job = this.#newJob();
  }

  async decide(pick: number, decision: 'release' | 'erase'): Promise<void> {
    const { body } = await this.app.admin.expect(200, 'listQuarantine');
    const held = (body as { quarantine: { id: string; filename: string }[] }).quarantine.filter(({ filename }) =>
      this.files.some(({ name }) => name === filename),
    );
    if (held.length === 0) return;
    const { id, filename } = held[pick % held.length]!;
    const file = this.files.find(({ name }) => name === filename)!;
    const release = { reason: 'Checked', password };
    if (decision === 'erase') await this.app.admin.expect(200, 'deleteQuarantined', { params: { id } });
    else await this.app.admin.expect(200, 'releaseQuarantined', { params: { id }, body: { release } });
    if (decision === 'erase') file.isErased = true;
    else file.isReleased = true;
  }

  /** The ticket that a new visitor gets by the button of a page, or null. */
  async takeTicket(page: string, file?: ModelFile): Promise<string | null> {
    const { location } = await new Browser(this.app.url).post(
      `${page}/download${file === undefined ? '' : `/${file.id}`}`,
    );
    return location?.startsWith('/dl/') === true ? location : null;
  }

  async press(page: string, file?: ModelFile): Promise<Buffer> {
    const ticket = await this.takeTicket(page, file);
    return ticket === null ? Buffer.alloc(0) : this.openTicket(ticket);
  }

  async openTicket(path: string): Promise<Buffer> {
    const { status, bytes } = await new Browser(this.app.url).get(path);
    return status === 200 ? bytes : Buffer.alloc(0);
  }

  /** By the address of the file, with the key of its owner. */
  async checkOwner({ id, files }: ModelMessage): Promise<void> {
    const owner = this.people[files[0]!.owner];
    for (const { id: fileId, url } of (await readMessage(owner, id)).attachments) {
      const file = files.find((one) => one.id === fileId)!;
      if (file.isErased) continue;
      const { status, text } = await owner.fetch(url.slice(owner.url.length));
      assert.deepEqual([status, text], [200, file.content], 'the uploader may have the own file');
    }
  }

  async post(): Promise<void> {
    for (const { about, to } of await this.mailbox.post(this.app)) {
      const message = this.messages.find(({ id, recipient }) => id === about && recipient === to);
      if (message === undefined) continue;
      assert.ok(!message.isMailed, 'one mail');
      assert.ok(
        message.files.some((file) => this.mayLeave(file)),
        'a mail about files that may not leave',
      );
      message.isMailed = true;
    }
  }
}
