import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { buildClient } from '#test/kit/built-client.ts';
import { skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

interface Library {
  connect(options: { server: string; apiKey: string }): {
    calls: {
      getAccount(): Promise<{ user: { email: string } }>;
      sendMessage(request: object): Promise<{ message: { id: string } }>;
      getMessage(request: object): Promise<{ message: { attachments: { url: string }[] } }>;
    };
    upload(file: Blob, options: object): Promise<string>;
    download(url: string): ReadableStream<Uint8Array>;
  };
}

describe('the client library in a browser', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();

  it('uploads, sends, downloads and reports refusals', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'waybill-library-'));
    const visit = await fixture.open('/send', 'alice');
    const { page } = visit;
    try {
      const body = readFileSync(await buildClient(folder), 'utf8');
      await page.route('**/library.js', (route) => route.fulfill({ contentType: 'text/javascript', body }));
      await page.route('**/page-of-a-program', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Program</title>' }),
      );
      await page.goto(`${fixture.app.url}/page-of-a-program`);
      const { alice, ben } = fixture.people;
      const options = { server: fixture.app.url, key: alice.key!, recipient: ben.email };
      visit.expectStatus(422);
      const found = await page.evaluate(async ({ server, key, recipient }) => {
        const path = '/library.js';
        const { connect } = (await import(path)) as Library;
        const waybill = connect({ server, apiKey: key });
        const content = new Uint8Array(9_000_000).fill(7);
        const id = await waybill.upload(new File([content], 'report.bin'), {});
        const message = { recipients: [recipient], subject: 'Report', attachments: [id] };
        const sent = await waybill.calls.sendMessage({ body: { message } });
        const read = await waybill.calls.getMessage({ params: { id: sent.message.id } });
        const bytes = await new Response(waybill.download(read.message.attachments[0]!.url)).arrayBuffer();
        const refused = await waybill.calls
          .sendMessage({ body: { message: { recipients: ['nobody'] } } })
          .catch((error) => error.code as string);
        return { email: (await waybill.calls.getAccount()).user.email, size: bytes.byteLength, refused };
      }, options);
      assert.deepEqual(found, { email: alice.email, size: 9_000_000, refused: 'message.bad_recipient' });
    } finally {
      await visit.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
