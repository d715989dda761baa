// A download while the store is unavailable: refused before the first byte, cut after it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileLinkAnswer } from '#contract/file-links.ts';
import { BlobMissing, StoreUnavailable } from '#server/domain/ports.ts';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { clickDownload } from '#test/kit/downloads.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/eventually.ts';
import { wireForm } from '#test/kit/wire-form.ts';

describe('a download from a store that is unavailable', () => {
  let app: TestApp;
  let alice: ApiClient;
  let fault: (() => Error) | null = null;
  let firstBytes = 0;
  before(async () => {
    app = await startTestApp(sqliteAndDisk, {
      wrapVault: (vault) => ({
        ...vault,
        async send(blob, range, destination, options) {
          if (fault === null) return vault.send(blob, range, destination, options);
          if (firstBytes > 0)
            await vault.send(blob, { start: range.start, end: range.start + firstBytes }, destination, options);
          throw fault();
        },
      }),
    });
    alice = await app.person('alice');
  });
  after(() => app.close());

  async function downloadAddress(): Promise<string> {
    const file = await alice.upload('file.txt', 'twelve bytes');
    const { body } = await alice.expect(200, 'createFileLink', { body: { link: { attachment: file.id } } });
    const { path } = await clickDownload(app.url, wireForm(fileLinkAnswer, body).link.id);
    return `${app.url}${path}`;
  }
  const asBrowser = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

  for (const [what, error] of [
    ['unreachable', () => new StoreUnavailable('the object store said ECONNREFUSED')],
    ['not mounted', () => new BlobMissing('x')],
  ] as const)
    test(`is answered with 503, Retry-After and our page while it is ${what}, and works afterwards`, async () => {
      const url = await downloadAddress();
      [fault, firstBytes] = [error, 0];
      const reply = await fetch(url, { headers: asBrowser });
      const text = await reply.text();
      assert.equal(reply.status, 503, text);
      assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/);
      assert.match(reply.headers.get('content-type') ?? '', /^text\/html/);
      for (const name of ['content-disposition', 'accept-ranges', 'etag', 'content-range'])
        assert.equal(reply.headers.get(name), null, name);
      assert.match(text, /<html/);
      const program = await fetch(url, { headers: { range: 'bytes=3-' } });
      assert.equal(program.status, 503);
      assert.match(program.headers.get('retry-after') ?? '', /^\d+$/);
      fault = null;
      assert.equal(await (await fetch(url)).text(), 'twelve bytes');
    });

  test('is cut after the first byte, so that it never looks complete', async () => {
    const url = await downloadAddress();
    [fault, firstBytes] = [() => new StoreUnavailable('the object store said ECONNRESET'), 5];
    const reply = await fetch(url);
    assert.equal(reply.status, 200);
    await assert.rejects(reply.text());
    fault = null;
    await eventually('the rest can be had', async () => {
      const rest = await fetch(url, { headers: { range: 'bytes=5-' } });
      return (await rest.text()) === 'e bytes';
    });
  });
});
