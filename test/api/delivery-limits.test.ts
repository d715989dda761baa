import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const megabyte = 1024 * 1024;

onOneEngine('pages where files are handed in', (start) => {
  const app = useApp(start, { environment: { WAYBILL_FORM_UPLOAD_MAX: '3MB' } });

  async function requestPage(owner: ApiClient): Promise<string> {
    const request = { recipient: 'ben@harbour.example', send_email: false };
    const { body } = await owner.expect(200, 'createFileRequest', { body: { request } });
    return `/requests/${(body as { request: { id: string } }).request.id}`;
  }

  async function dropPage(owner: ApiClient): Promise<string> {
    const { body } = await owner.expect(200, 'getAccount');
    return new URL((body as { user: { filedrop_url: string } }).user.filedrop_url).pathname;
  }

  async function openPage(path: string) {
    const { status, text, words } = await new Browser(app.url).get(path);
    assert.equal(status, 200, path);
    const given = (name: string) => new RegExp(`data-${name}="([^"]*)"`).exec(text)?.[1];
    return { given, words };
  }

  test('show how many bytes are accepted together: for a request those of a message, for a drop page its own', async () => {
    const group = await app.group('Sizes', { message_max_size: 7, filedrop_max_size: 3 });
    const owner = await newPerson(app, 'sizes', { group });
    const request = await openPage(await requestPage(owner));
    assert.equal(request.given('max-total'), String(7 * megabyte));
    assert.match(request.words, /7\.0 MB in all/);
    const drop = await openPage(await dropPage(owner));
    assert.equal(drop.given('max-total'), String(3 * megabyte));
    assert.match(drop.words, /3\.0 MB in all/);
    // Without script a form accepts less, whatever the group permits. The operator's 3MB are 3,000,000 bytes.
    for (const { words } of [request, drop]) assert.match(words, /This form takes up to 2\.9 MB/);
  });

  test('show which kinds of files are accepted, or which are not', async () => {
    const narrow = await newPerson(app, 'narrow', {
      group: await app.group('Narrow', { permitted_extensions: 'pdf,png' }),
    });
    const wary = await newPerson(app, 'wary', { group: await app.group('Wary', { blocked_extensions: 'exe,bat' }) });
    for (const place of [requestPage, dropPage]) {
      const permitted = await openPage(await place(narrow));
      assert.deepEqual([permitted.given('permitted'), permitted.given('blocked')], ['pdf png', '']);
      assert.match(permitted.words, /Only \.pdf or \.png files/);
      const blocked = await openPage(await place(wary));
      assert.deepEqual([blocked.given('permitted'), blocked.given('blocked')], ['', 'exe bat']);
      assert.match(blocked.words, /No \.exe or \.bat files/);
    }
  });
});
