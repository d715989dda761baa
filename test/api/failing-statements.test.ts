import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { EndpointName } from '#contract/endpoints.ts';
import { onOneEngine, type TestApp } from '#test/kit/app.ts';
import { Browser, type PageReply } from '#test/kit/browser.ts';
import type { ApiClient, CallOptions } from '#test/kit/client.ts';
import { whileFailing } from '#test/kit/failing-statements.ts';
import { linkTo } from '#test/kit/links.ts';
import { browserProving, sendMessage } from '#test/kit/messages.ts';
import { type SignedIn, signIn } from '#test/kit/signed-in.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

interface Fixture {
  app: TestApp;
  alice: ApiClient;
  web: SignedIn;
  console: SignedIn;
  files: Map<ApiClient, string>;
}

/** The caller and the input, created for each call, because most calls work only once. */
type Prepare = (fixture: Fixture, time: number) => Promise<[ApiClient, CallOptions]>;

const password = 'seven lamps under a quiet river';
const ben = 'ben@harbour.example';

const linkOf = async ({ alice, files }: Fixture, settings = {}) =>
  (await linkTo(alice, files.get(alice)!, settings)).id;
const messageOf = async ({ files }: Fixture, who: ApiClient, to = [ben, 'cara@harbour.example']) =>
  (await sendMessage(who, { recipients: to, subject: 'Plans', message: 'Here.', attachments: [files.get(who)!] })).id;
const ofLink =
  (body?: unknown): Prepare =>
  async (fixture) => [
    fixture.alice,
    { params: { id: await linkOf(fixture) }, ...(body === undefined ? {} : { body }) },
  ];
const ofMessage =
  (body?: unknown, params: Record<string, string> = {}): Prepare =>
  async (fixture) => [
    fixture.web,
    { params: { id: await messageOf(fixture, fixture.alice), ...params }, ...(body === undefined ? {} : { body }) },
  ];
const personOf = async ({ app }: Fixture, time: number) => {
  const user = { email: `person${time}.${app.clock.now()}@example.com`, name: 'Another' };
  const { body } = await app.admin.expect(200, 'createUser', { body: { user } });
  return (body as { user: { id: string } }).user.id;
};

const changes: Partial<Record<EndpointName, Prepare>> = {
  createFileLink: async ({ alice, files }) => [alice, { body: { link: { attachment: files.get(alice) } } }],
  sendMessage: async ({ alice, files }) => [
    alice,
    { body: { message: { recipients: [ben], subject: 'Plans', message: 'Here.', attachments: [files.get(alice)] } } },
  ],
  updateDownloadConfirmation: ofLink({ send_download_confirmation: 1 }),
  deleteFileLink: ofLink(),
  deleteAttachment: async ({ alice }) => [alice, { params: { id: (await alice.upload('a.txt', 'a')).id } }],
  createFileRequest: async ({ alice }, time) => [
    alice,
    { body: { request: { recipient: `dora${time}@harbour.example`, subject: 'Figures', message: 'Please.' } } },
  ],
  createUser: async ({ app }, time) => [
    app.admin,
    { body: { user: { email: `new${time}@example.com`, name: 'Newcomer' } } },
  ],
  changeUser: async (fixture, time) => [
    fixture.app.admin,
    { params: { id: await personOf(fixture, time) }, body: { user: { name: 'Other' } } },
  ],
  createGroup: async ({ app }, time) => [app.admin, { body: { group: { name: `Group ${time}` } } }],
  deleteMessageAttachments: async (fixture) => [
    fixture.alice,
    { params: { id: await messageOf(fixture, fixture.alice) } },
  ],
  addRecipients: ofMessage({ recipients: ['dora@harbour.example'] }),
  revokeRecipient: ofMessage({}, { address: ben }),
  revokeMessage: ofMessage({}),
  createApiKey: async ({ web }, time) => [web, { body: { name: `Key ${time}` } }],
};

/** Without calls that also query the disk: that query continues after a failure and would meet the next call. */
const reads: Partial<Record<EndpointName, Prepare>> = {
  getAccount: async ({ alice }) => [alice, {}],
  listInbox: async ({ alice }) => [alice, {}],
  getFileLink: ofLink(),
  getMessage: async (fixture) => [fixture.alice, { params: { id: await messageOf(fixture, fixture.alice) } }],
  getSentMessage: ofMessage(),
  search: async (fixture) => [
    fixture.web,
    { query: { q: await messageOf(fixture, fixture.app.admin, [fixture.alice.email]) } },
  ],
  getReceived: async (fixture) => [
    fixture.web,
    { params: { id: await messageOf(fixture, fixture.app.admin, [fixture.alice.email]) } },
  ],
  checkRecipients: async ({ web }) => [web, { body: { recipients: [ben, 'no-address'] } }],
  listTransfers: async ({ console }) => [console, {}],
};

/** Forms without script, each with its own browser. */
const pages: Record<string, (fixture: Fixture, browser: Browser) => Promise<() => Promise<PageReply>>> = {
  'the password of a link': async (fixture, browser) => {
    const id = await linkOf(fixture, { password: 'open sesame' });
    return () => browser.post(`/link/${id}/password`, { password: 'open sesame' });
  },
  'a click on Download': async (fixture, browser) => {
    const id = await linkOf(fixture);
    return () => browser.post(`/link/${id}/download`);
  },
  'a click on Read message': async ({ app, alice }) => {
    const text = { subject: 'Plans', message: 'Here.', private_message: true, recipients: [ben] };
    const { id } = await sendMessage(alice, text);
    const browser = await browserProving(app, ben);
    return () => browser.post(`/message/${id}/read`);
  },
  'an answer to a File Request': async ({ alice }, browser) => {
    const request = { recipient: ben, subject: 'Figures', message: 'Please.' };
    const { body } = await alice.expect(200, 'createFileRequest', { body: { request } });
    const { url } = (body as { request: { url: string } }).request;
    const path = url.slice(alice.url.length);
    return () => browser.submitFiles(path, {}, [{ name: 'figures.txt', bytes: 'ten' }]);
  },
  'signing in': async ({ alice }, browser) => {
    await browser.get('/sign-in');
    return () => browser.post('/sign-in', { email: alice.email, password });
  },
};

onOneEngine('A statement that fails', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const alice = usePerson(app, 'alice', { password });
  const fixture = { app, alice } as Fixture;
  before(async () => {
    fixture.web = await signIn(app, alice.email, password);
    fixture.console = await signIn(app, 'root@example.com', 'quiet river under seven lamps');
    const upload = async (who: ApiClient): Promise<[ApiClient, string]> => [who, (await who.upload('a.txt', 'a')).id];
    fixture.files = new Map([await upload(alice), await upload(app.admin)]);
  });

  type Send = () => Promise<Pick<PageReply, 'status' | 'text'>>;

  /** Fails each statement of a request in turn, until none is left, and returns after how many transactions each failed. */
  async function failEach(prepare: (time: number) => Promise<Send>): Promise<{ commits: number[]; all: number }> {
    const whole = await whileFailing(app, 0, await prepare(0));
    assert.ok(whole.result.status < 400, whole.result.text);
    const commits: number[] = [];
    for (let time = 1; ; time++) {
      const { result, ...watched } = await whileFailing(app, time, await prepare(time));
      if (watched.failed === null) return { commits, all: whole.commits };
      assert.equal(result.status, 500, `${watched.failed} failed, and the answer was ${result.status}: ${result.text}`);
      commits.push(watched.commits);
    }
  }

  for (const [name, prepare] of Object.entries(changes))
    test(`of ${name} is answered as a fault of the server, and writes nothing incomplete`, async () => {
      const { commits, all } = await failEach(async (time) => {
        const [who, options] = await prepare(fixture, time);
        return () => who.send(name as EndpointName, options);
      });
      assert.equal(commits[0], 0);
      assert.ok(commits.every((some) => some === 0 || some === all));
    });

  for (const [name, prepare] of Object.entries(reads))
    test(`of ${name} is answered as a fault of the server`, async () => {
      const [who, options] = await prepare(fixture, 0);
      const { commits } = await failEach(async () => () => who.send(name as EndpointName, options));
      assert.ok(commits.length > 0);
    });

  for (const [name, prepare] of Object.entries(pages))
    test(`of ${name} is shown as a fault of the server`, async () => {
      const { commits } = await failEach(() => prepare(fixture, new Browser(app.url)));
      assert.ok(commits.length > 0);
    });
});
