// Secrets in a page look different in each response, so that its compressed length reveals nothing (docs/adr/0048).
import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import { before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { onOneEngine } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { linkTo } from '#test/kit/links.ts';
import { browserOf, newPerson, sendMessage } from '#test/kit/messages.ts';
import { everywhere } from '#test/kit/outside.ts';
import { useApp } from '#test/kit/use-app.ts';

const password = 'seven lamps under a quiet river';

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
}

onOneEngine('compression', (start) => {
  const app = useApp(start);
  let browser: Browser;
  let page: string;
  before(async () => {
    const alice = await newPerson(app, 'alice', { password });
    const { id } = await sendMessage(alice, {
      recipients: ['ben@harbour.example'],
      subject: 'The plans',
      message: 'x',
    });
    page = `/message/${id}`;
    browser = await browserOf(app, alice.email, password);
    await app.admin.expect(200, 'changeBranding', { body: { branding: { colour: '#FFCC00' } } });
    await everywhere(async () => (await new Browser(app.url).get('/')).text.includes('/brand/colours.'));
  });

  /** Requests as a browser does, without decoding the body. */
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const sent = request(`${app.url}${path}`, { method, headers: { accept: 'text/html', cookie, ...headers } });
      sent.on('error', reject).on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          resolve({ status: response.statusCode!, headers: response.headers, bytes, text: bytes.toString() });
        });
      });
      sent.end();
    });
  const pathIn = (html: string, pattern: RegExp) => new URL(pattern.exec(html)![1]!, app.url).pathname;
  const assetPaths = async () => {
    const [shown, shell] = [(await get(page)).text, (await get('/app')).text];
    return [
      pathIn(shown, /href="([^"]*pages\.[^"]*\.css)"/),
      pathIn(shown, /src="([^"]*download\.[^"]*\.js)"/),
      pathIn(shown, /href="([^"]*icon\.[^"]*\.svg)"/),
      pathIn(shell, /src="([^"]*\.js)"/),
      pathIn(shell, /href="([^"]*\/app\/assets\/[^"]*\.css)"/),
    ];
  };

  test('is used for pages and the shell of the app, when the browser accepts it', async () => {
    for (const path of [page, '/app', '/sign-out', '/no/such/page']) {
      const plain = await get(path);
      assert.equal(plain.headers['content-encoding'], undefined);
      for (const [accepted, encoding, decode] of [
        ['gzip, deflate, br', 'br', brotliDecompressSync],
        ['gzip', 'gzip', gunzipSync],
        ['br;q=0, *', 'gzip', gunzipSync],
      ] as const) {
        const reply = await get(path, { 'accept-encoding': accepted });
        assert.equal(reply.headers['content-encoding'], encoding, `${path} for ${accepted}`);
        assert.equal(Number(reply.headers['content-length']), reply.bytes.length);
        assert.match(reply.headers.vary ?? '', /Accept-Encoding/);
        assert.ok(
          reply.bytes.length < plain.bytes.length * 0.7,
          `${path}: ${reply.bytes.length} of ${plain.bytes.length}`,
        );
        assert.match(decode(reply.bytes).toString(), /<\/html>\s*$/);
        const head = await get(path, { 'accept-encoding': accepted }, 'HEAD');
        assert.equal(head.headers['content-encoding'], encoding);
        assert.equal(head.bytes.length, 0);
      }
      for (const accepted of ['identity', 'br;q=0, gzip;q=0.0', '*;q=0', 'zstd', ',;,'])
        assert.equal(
          (await get(path, { 'accept-encoding': accepted })).headers['content-encoding'],
          undefined,
          accepted,
        );
    }
  });

  test('of built files is done beforehand, and each encoding has its own validator', async () => {
    for (const path of await assetPaths()) {
      const replies = [];
      for (const accepted of ['identity', 'gzip', 'br, gzip']) {
        const reply = await get(path, { 'accept-encoding': accepted });
        assert.equal(reply.status, 200, path);
        assert.equal(reply.headers.vary, 'Accept-Encoding');
        assert.match(reply.headers['cache-control'] ?? '', /immutable/);
        assert.equal(Number(reply.headers['content-length']), reply.bytes.length);
        replies.push(reply);
        const again = await get(path, { 'accept-encoding': accepted, 'if-none-match': `"x", ${reply.headers.etag}` });
        assert.deepEqual([again.status, again.bytes.length, again.headers.etag], [304, 0, reply.headers.etag]);
        const head = await get(path, { 'accept-encoding': accepted }, 'HEAD');
        assert.deepEqual(
          [head.status, head.headers.etag, head.headers['content-length'], head.bytes.length],
          [200, reply.headers.etag, reply.headers['content-length'], 0],
        );
      }
      const [plain, zipped, brotli] = replies as [Reply, Reply, Reply];
      assert.deepEqual(gunzipSync(zipped.bytes), plain.bytes);
      assert.deepEqual(brotliDecompressSync(brotli.bytes), plain.bytes);
      assert.equal(new Set(replies.map(({ headers }) => headers.etag)).size, 3);
      // Ranges are not offered, so a range request returns the whole file.
      assert.equal((await get(path, { 'accept-encoding': 'br', range: 'bytes=0-9' })).status, 200);
    }
  });

  test('is used for the colours of the organisation, and not for fonts', async () => {
    const shown = (await get(page)).text;
    const sheet = await get(pathIn(shown, /href="([^"]*colours\.[^"]*)"/), { 'accept-encoding': 'br' });
    assert.match(brotliDecompressSync(sheet.bytes).toString(), /--color-brand/);
    const styles = (await get((await assetPaths())[0]!)).text;
    const font = await get(`/assets/${/url\(([^)]*latin\.[^)]*\.woff2)\)/.exec(styles)![1]}`, {
      'accept-encoding': 'br',
    });
    assert.deepEqual([font.status, font.headers['content-encoding']], [200, undefined]);
  });

  test('is never used for the bytes of files or JSON', async () => {
    const alice = await newPerson(app, 'anna');
    const { id } = await alice.upload('words.txt', new Uint8Array(Buffer.from('the same words '.repeat(500))));
    const link = await linkTo(alice, id);
    const { location } = await new Browser(app.url).submit(`/link/${link.id}/download`);
    const file = await get(location!, { 'accept-encoding': 'br, gzip' });
    assert.deepEqual([file.headers['content-encoding'], file.bytes.length], [undefined, 7_500]);
    assert.match(file.headers['cache-control'] ?? '', /no-transform/);
    const json = await get('/openapi.json', { 'accept-encoding': 'br, gzip', accept: 'application/json' });
    assert.equal(json.headers['content-encoding'], undefined);
  });

  test('reveals no token: it looks different in each response, and every form of it is accepted', async () => {
    const tokens = [];
    for (let count = 0; count < 3; count++) tokens.push(Browser.hidden(await browser.get('/sign-out'), 'csrf'));
    assert.equal(new Set(tokens).size, 3);
    for (const csrf of tokens)
      assert.equal((await browser.submit('/language', { lang: 'en', to: '/', csrf })).status, 303);
    const spoiled = `${tokens[0]!.slice(0, -3)}AAA`;
    assert.equal((await browser.submit('/language', { lang: 'de', to: '/', csrf: spoiled })).status, 403);
    const stranger = new Browser(app.url);
    const guarded = [];
    for (let count = 0; count < 3; count++) guarded.push(Browser.hidden(await stranger.get('/forgot'), 'csrf'));
    assert.equal(new Set(guarded).size, 3);
  });

  test('cannot be used to guess a secret: no page with a secret repeats the requested address', async () => {
    const guess = 'alice-guesses-The-plans';
    for (const path of [page, '/', '/forgot', '/no/such']) {
      const { text } = await get(`${path}?x=${guess}`);
      assert.ok(!text.includes(guess), path);
    }
    const shown = await browser.get(`${page}?x=${guess}`);
    const [to, csrf] = [Browser.hidden(shown, 'to'), Browser.hidden(shown, 'csrf')];
    const back = await browser.submit('/language', { lang: 'en', to, csrf });
    assert.equal(back.location, `${page}?x=${guess}`, 'the language switch still leads back');
  });
});
