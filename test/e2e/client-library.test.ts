// The client library in a browser: upload with progress, stop, resume, download.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { onOneEngine } from '#test/kit/app.ts';
import { buildClient } from '#test/kit/built-client.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';
import { launchBrowser, skipWithoutBrowser } from '#web/pages/e2e/browser.fixture.ts';
import type { connect as Connect } from '../../client/waybill.ts';

onOneEngine('the client library in a browser', (start) => {
  const app = useApp(start);
  const ann = usePerson(app, 'ann');
  const folder = mkdtempSync(join(tmpdir(), 'waybill-client-'));
  let browser: Browser;
  before(async () => {
    if (skipWithoutBrowser === false) browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('uploads with progress, stops, resumes and downloads', { skip: skipWithoutBrowser }, async () => {
    const code = readFileSync(await buildClient(folder), 'utf8');
    // Our own pages permit no foreign scripts; this page belongs to another site.
    const context = await browser.newContext({ bypassCSP: true });
    const page = await context.newPage();
    await page.goto(`${app.url}/healthz`);
    await page.addScriptTag({ type: 'module', content: `${code}\nglobalThis.connect = connect;` });
    const seen = await page.evaluate(
      async ({ server, apiKey, email }) => {
        const { connect } = globalThis as unknown as { connect: typeof Connect };
        const waybill = connect({ server, apiKey });
        const bytes = new Uint8Array(20_000_000).map((_, at) => (at * 31) >> 5);
        const file = new File([bytes], 'plan.bin');
        const stopping = new AbortController();
        let saved: Parameters<NonNullable<NonNullable<Parameters<typeof waybill.upload>[1]>['onSaved']>>[0] | undefined;
        const first = waybill.upload(file, {
          signal: stopping.signal,
          onSaved(state) {
            saved = state;
            stopping.abort();
          },
        });
        const stopped = await first.then(
          () => 'done',
          (error: Error) => error.name,
        );
        const progress: number[] = [];
        const id = await waybill.upload(file, {
          ...(saved === undefined ? {} : { resume: saved }),
          onProgress: (sent) => void progress.push(sent),
        });
        const { message } = (await waybill.calls.sendMessage({
          body: { message: { recipients: [email], subject: 'Plan', attachments: [id] } },
        })) as { message: { id: string } };
        const read = await waybill.calls.getMessage({ params: { id: message.id } });
        const received: number[] = [];
        const stream = waybill.download(read.message.attachments[0]!.url, {
          onProgress: (sum) => void received.push(sum),
        });
        const copy = new Uint8Array(await new Response(stream).arrayBuffer());
        return {
          stopped,
          hasState: saved !== undefined,
          sent: progress.at(-1),
          received: received.at(-1),
          isEqual: copy.length === bytes.length && copy.every((byte, at) => byte === bytes[at]),
        };
      },
      { server: app.url, apiKey: ann.key!, email: ann.email },
    );
    assert.deepEqual(seen, {
      stopped: 'AbortError',
      hasState: true,
      sent: 20_000_000,
      received: 20_000_000,
      isEqual: true,
    });
  });
});
