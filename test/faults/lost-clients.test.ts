// Clients that disconnect while their request waits for a statement of the database: their work ends, at any statement.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileRequestAnswer } from '#contract/file-requests.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { cutAtStatement, type Sent } from '#test/kit/cut-at-statement.ts';
import { clickDownload } from '#test/kit/downloads.ts';
import { type Leftovers, watchLeftovers } from '#test/kit/leftovers.ts';
import { linkTo } from '#test/kit/links.ts';
import { fileUrlOf, inlineFile, sendMessage } from '#test/kit/messages.ts';
import { basic, head } from '#test/kit/raw-http.ts';
import { type SignedIn, signIn } from '#test/kit/signed-in.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const password = 'seven lamps under a quiet river';
const ben = 'ben@harbour.example';
const formType = 'Content-Type: multipart/form-data; boundary=XX';
const bytesType = 'Content-Type: application/octet-stream';
const jsonType = 'Content-Type: application/json';

interface Request {
  line: string;
  headers: string[];
  body?: string;
}

function formWith(field: string, fields: Record<string, string> = {}): string {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--XX\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--XX\r\nContent-Disposition: form-data; name="${field}"; filename="plan.txt"\r\n\r\n${'x'.repeat(1000)}\r\n`;
  return `${parts.join('')}${file}--XX--\r\n`;
}

onEachDatabase('A client that leaves at any statement', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const alice = usePerson(app, 'alice', { password });
  let web: SignedIn;
  let file: string;
  let leftovers: Leftovers;
  before(async () => {
    web = await signIn(app, alice.email, password);
    file = (await alice.upload('plan.txt', 'x'.repeat(5000))).id;
    leftovers = watchLeftovers(app);
  });
  after(() => leftovers.stop());

  const byKey = (who: ApiClient) => [basic(who.key), 'Accept: application/json'];
  const bySession = () => Object.entries(web.shown).map(([name, value]) => `${name}: ${value}`);
  const ofPage = () => ['Accept: text/html', `Origin: ${app.url}`];
  const newRequest = async () => {
    const request = { recipient: ben, subject: 'Drawings', message: 'Please send them.' };
    const { body } = await alice.expect(200, 'createFileRequest', { body: { request } });
    return wireForm(fileRequestAnswer, body).request.id;
  };
  const dropPath = async () => {
    const { body } = await alice.expect(200, 'getAccount');
    return (body as { user: { filedrop_url: string } }).user.filedrop_url.slice(app.url.length);
  };

  const requests: Record<string, () => Promise<Request>> = {
    'of a form to a File Request': async () => ({
      line: `POST /requests/${await newRequest()}`,
      headers: [...ofPage(), formType],
      body: formWith('files', { note: 'Here.' }),
    }),
    'of a form to a drop page': async () => {
      const path = await dropPath();
      const key = Browser.hidden(await new Browser(app.url).get(path), 'drop_key');
      const body = formWith('files', { drop_key: key, email: ben, subject: 'Plans', message: 'Here.' });
      return { line: `POST ${path}`, headers: [...ofPage(), formType], body };
    },
    'of a file uploaded to a File Request': async () => ({
      line: `POST /requests/${await newRequest()}/attachments/upload?filename=plan.txt`,
      headers: [bytesType, 'Accept: application/json'],
      body: 'x'.repeat(1000),
    }),
    'of an upload': async () => ({
      line: 'POST /link/attachments/upload?filename=plan.txt',
      headers: [...byKey(alice), bytesType],
      body: 'x'.repeat(1000),
    }),
    'of a chunk': async () => ({
      line: 'POST /message/attachments/upload?filename=plan.txt&chunks=2&chunk=0&upload_id=new',
      headers: [...byKey(alice), bytesType],
      body: 'x'.repeat(1000),
    }),
    'of an upload in a form': async () => ({
      line: 'POST /attachments',
      headers: [...byKey(alice), formType],
      body: formWith('Filedata'),
    }),
    'of a form sent where a file is expected': async () => ({
      line: 'POST /link/attachments/upload?filename=plan.txt',
      headers: [...byKey(alice), formType],
      body: formWith('file', { chunks: '1', chunk: '0' }),
    }),
    'of an upload of a signed-in person': async () => ({
      line: 'POST /link/attachments/upload?filename=plan.txt',
      headers: [...bySession(), bytesType],
      body: 'x'.repeat(1000),
    }),
    'of a message with a large file inside': async () => {
      const message = {
        recipients: [ben],
        subject: 'Plans',
        attachments: [inlineFile('plan.txt', 'x'.repeat(50_000))],
      };
      return { line: 'POST /message', headers: [...byKey(alice), jsonType], body: JSON.stringify({ message }) };
    },
    'of a call of a signed-in person': async () => ({
      line: 'POST /link',
      headers: [...bySession(), jsonType],
      body: JSON.stringify({ link: { attachment: file } }),
    }),
    'of a list': async () => ({ line: 'GET /attachments', headers: byKey(alice) }),
    'of the events of a program': async () => ({ line: 'GET /app-api/events', headers: byKey(alice) }),
    'of the events of a signed-in person': async () => ({
      line: 'GET /app-api/events',
      headers: [...bySession(), 'Last-Event-ID: 1'],
    }),
    'of a download': async () => {
      const { id } = await linkTo(alice, file);
      return { line: `GET ${(await clickDownload(app.url, id)).path}`, headers: ['Accept: text/html'] };
    },
    'of a download by a program': async () => {
      const { id } = await sendMessage(alice, { recipients: [ben], subject: 'Plans', attachments: [file] });
      return { line: `GET ${await fileUrlOf(alice, id)}`, headers: byKey(alice) };
    },
  };

  /** Cuts at each statement in turn until there is none. Returns their number. */
  async function cutAtEach(prepare: () => Promise<Sent>): Promise<number> {
    for (let number = 1; ; number++) {
      const sent = await prepare();
      const statement = await cutAtStatement({ app, leftovers }, number, sent);
      const left = leftovers.list();
      assert.deepEqual(left, [], `left after ${statement ?? 'the last statement'}: ${left.join('; ')}`);
      if (statement === null) return number - 1;
    }
  }

  /** The head, and this many bytes of the body. */
  const sentOf = ({ line, headers, body = '' }: Request, length: number, leadsTo: Sent['leadsTo']): Sent => {
    const all = body === '' ? headers : [...headers, `Content-Length: ${body.length}`];
    return { bytes: head(app.url, line, all) + body.slice(0, length), leadsTo };
  };

  test('of events requested behind another request on the same connection leaves nothing', async () => {
    const bytes = ['GET /attachments', 'GET /app-api/events'].map((line) => head(app.url, line, byKey(alice))).join('');
    assert.ok((await cutAtEach(async () => ({ bytes, leadsTo: 'answer' }))) > 0);
  });

  for (const [name, make] of Object.entries(requests)) {
    test(`${name} leaves nothing`, async () => {
      const leadsTo = name.includes('events') ? 'endless answer' : 'answer';
      const statements = await cutAtEach(async () => sentOf(await make(), Number.POSITIVE_INFINITY, leadsTo));
      assert.ok(statements > 0);
    });

    test(`${name} that has not sent its body leaves nothing`, async () => {
      const request = await make();
      if (request.body === undefined) return;
      await cutAtEach(async () => {
        const made = await make();
        return sentOf({ ...made, headers: [...made.headers, 'Expect: 100-continue'] }, 0, 'answer');
      });
      const isFile = !request.headers.includes(jsonType);
      if (isFile) await cutAtEach(async () => sentOf(await make(), request.body!.length - 200, 'endless file'));
    });
  }
});
