import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StartOptions } from '#test/kit/app.ts';
import { skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

const mebibyte = 1024 * 1024;
type WrapVault = NonNullable<StartOptions['wrapVault']>;

const fileBytes = 4 * mebibyte;

/** Counts what arrives at the blob store, also of requests that end early. */
function countBytes(): { wrapVault: WrapVault; bytes: () => number } {
  let bytes = 0;
  const wrapVault: WrapVault = (vault) => ({
    ...vault,
    receive(blob, body, options = {}) {
      const onBytes = (count: number) => {
        bytes += count;
        return options.onBytes?.(count);
      };
      return vault.receive(blob, body, { ...options, onBytes });
    },
  });
  return { wrapVault, bytes: () => bytes };
}

describe('pausing an upload on a slow connection', { skip: skipWithoutBrowser }, () => {
  const counter = countBytes();
  const fixture = useAppFixture({ wrapVault: counter.wrapVault });

  it('sends no byte twice around the pause, in chunks of a few seconds', async () => {
    const visit = await fixture.open('/send');
    const { page } = visit;
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    const limits = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 400 * 1024 };
    await session.send('Network.emulateNetworkConditions', limits);
    const chunks: URLSearchParams[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/message/attachments/upload') && response.ok())
        chunks.push(new URL(response.url()).searchParams);
    });
    page.setDefaultTimeout(40_000);
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose files' }).click(),
    ]);
    const buffer = Buffer.alloc(fileBytes, 'waybill');
    await chooser.setFiles({ name: 'model.zip', mimeType: 'application/zip', buffer });
    await page.waitForResponse((response) => response.url().includes('/message/attachments/upload') && response.ok());
    await page.getByRole('button', { name: 'Pause model.zip' }).click();
    await page.getByText('paused', { exact: false }).first().waitFor();
    await page.getByRole('button', { name: 'Continue model.zip' }).click();
    await page.getByText('4.0 MB · ready').or(page.getByText('4 MB · ready')).first().waitFor({ timeout: 60_000 });
    const count = Number(chunks[0]?.get('chunks'));
    assert.ok(count >= 3, `${count} chunks`);
    const numbers = chunks.map((query) => Number(query.get('chunk'))).sort((one, other) => one - other);
    assert.deepEqual(numbers, [...Array(count).keys()], 'each chunk is sent once');
    // The first second, which measures the connection, is sent again.
    assert.ok(counter.bytes() <= fileBytes + mebibyte, `${counter.bytes()} bytes reached the server`);
    await visit.close();
  });
});
