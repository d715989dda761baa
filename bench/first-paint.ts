// How long people with a slow line look at nothing: first contentful paint at 50 KB/s and 400 ms, nothing cached, five
// times each. Needs a running Waybill and Chromium: node bench/first-paint.ts <address> <email> <password> [paths]
import type { APIRequestContext } from 'playwright-core';
import { launchBrowser } from '#web/pages/e2e/browser.fixture.ts';

const [url = '', email = '', password = '', ...asked] = process.argv.slice(2);
const paths = asked.length > 0 ? asked : ['/sign-in', '/app/send'];
const line = { offline: false, latency: 400, downloadThroughput: 50 * 1024, uploadThroughput: 50 * 1024 };
const rounds = 5;

const browser = await launchBrowser();
for (const path of paths) {
  const paints: number[] = [];
  const usable: number[] = [];
  let kilobytes = 0;
  for (let round = 0; round < rounds; round += 1) {
    const found = await visit(path);
    paints.push(found.paintMs);
    usable.push(found.usableMs);
    kilobytes = found.bytes / 1024;
  }
  console.log(`${path}: first paint ${shown(paints)} s, heading ${shown(usable)} s, ${Math.round(kilobytes)} KB`);
}
await browser.close();

function shown(milliseconds: number[]): string {
  return milliseconds.map((ms) => (ms / 1000).toFixed(2)).join(' ');
}

async function visit(path: string): Promise<{ paintMs: number; usableMs: number; bytes: number }> {
  const context = await browser.newContext({ viewport: { width: 360, height: 640 } });
  try {
    const page = await context.newPage();
    if (path.startsWith('/app')) await signIn(page.request);
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', line);
    await page.goto(url + path, { waitUntil: 'commit' });
    await page.locator('h1').first().waitFor();
    const usableMs = await page.evaluate(() => performance.now());
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
    return await page.evaluate((headingMs) => {
      const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
      const bytes = (entries as PerformanceResourceTiming[]).reduce((sum, { transferSize }) => sum + transferSize, 0);
      const paintMs = performance.getEntriesByName('first-contentful-paint')[0]!.startTime;
      return { paintMs, usableMs: headingMs, bytes };
    }, usableMs);
  } finally {
    await context.close();
  }
}

async function signIn(request: APIRequestContext): Promise<void> {
  const form = await (await request.get(`${url}/sign-in`)).text();
  const csrf = /name="csrf" value="([^"]*)"/.exec(form)?.[1] ?? '';
  await request.post(`${url}/sign-in`, { form: { email, password, csrf }, headers: { origin: url }, maxRedirects: 0 });
}
