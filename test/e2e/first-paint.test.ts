// Bytes before the first contentful paint on a slow connection (50 KB/s, 400 ms). Counts bytes, because times vary with
// load. Of the 1.5 seconds allowed, Chromium needed 1.2 to 1.4.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { onOneEngine } from '#test/kit/app.ts';
import { inlineFile, newPerson, sendMessage } from '#test/kit/messages.ts';
import { useApp } from '#test/kit/use-app.ts';
import { launchBrowser, skipWithoutBrowser } from '#web/pages/e2e/browser.fixture.ts';

const line = { bytesPerSecond: 50 * 1024, latencySeconds: 0.4 };

/** The share of the network in the 1.5 seconds. */
/** 1.3 s, and the copy of drafts in IndexedDB, which arrives with the deferred script. */
const mostSeconds = 1.35;

onOneEngine('the first paint on a slow connection', (start) => {
  const app = useApp(start);
  let browser: Browser;
  let pages: Record<string, string>;
  before(async () => {
    if (skipWithoutBrowser !== false) return;
    browser = await launchBrowser();
    const group = await app.group('Senders', { message_can_use_anyone: true });
    const alice = await newPerson(app, 'alice', { group });
    const { id } = await sendMessage(alice, {
      recipients: ['ben@harbour.example'],
      subject: 'Drawings',
      message: 'Here they are.',
      attachments: Array.from({ length: 8 }, (_, n) => inlineFile(`sheet-${n}.pdf`, `sheet ${n}`)),
      authorization: 0,
    });
    const request = await alice.expect(200, 'createFileRequest', {
      body: { request: { recipient: 'sam@elsewhere.example', subject: 'Photos' } },
    });
    const requestId = (request.body as { request: { id: string } }).request.id;
    pages = { message: `/message/${id}`, request: `/requests/${requestId}`, 'sign-in': '/sign-in' };
    await app.admin.expect(200, 'changeBranding', { body: { branding: { colour: '#FFCC00' } } });
  });
  after(() => browser?.close());

  interface Travelled {
    name: string;
    bytes: number;
    isBlocking: boolean;
  }

  /** All requests of a first visit. Fonts come after the paint. */
  const visit = async (path: string): Promise<Travelled[]> => {
    const context = await browser.newContext({ viewport: { width: 360, height: 640 } });
    try {
      const page = await context.newPage();
      await page.goto(app.url + path, { waitUntil: 'load' });
      return await page.evaluate(() => {
        const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
        return (entries as (PerformanceResourceTiming & { renderBlockingStatus?: string })[]).map((entry) => ({
          name: entry.name,
          bytes: entry.transferSize,
          isBlocking: entry.renderBlockingStatus === 'blocking',
        }));
      });
    } finally {
      await context.close();
    }
  };

  for (const name of ['message', 'request', 'sign-in'])
    test(`has what it needs within ${mostSeconds} seconds: ${name}`, { skip: skipWithoutBrowser }, async () => {
      const [document, ...others] = (await visit(pages[name]!)) as [Travelled, ...Travelled[]];
      const blocking = others.filter(({ isBlocking }) => isBlocking);
      // The document names both, so they are requested together: two sequential answers in all.
      assert.deepEqual(blocking.map(({ name: url }) => /\/(pages|colours)\..*\.css$/.exec(url)?.[1]).sort(), [
        'colours',
        'pages',
      ]);
      // The script is deferred, but shares the connection.
      const sharing = others.filter(({ name: url, isBlocking }) => !isBlocking && /\.js$/.test(url));
      const bytes = [document, ...blocking, ...sharing].reduce((sum, entry) => sum + entry.bytes, 0);
      const seconds = 2 * line.latencySeconds + bytes / line.bytesPerSecond;
      assert.ok(seconds <= mostSeconds, `${bytes} bytes take ${seconds.toFixed(2)} s`);
    });
});
