// Sent messages as their sender sees them, and recipients who open and download them.
import assert from 'node:assert/strict';
import { type SentMessageBody, sentMessageAnswer } from '#contract/app/messages.ts';
import type { TestApp } from './app.ts';
import type { Browser } from './browser.ts';
import type { ApiClient } from './client.ts';
import { until } from './eventually.ts';
import { browserProving } from './messages.ts';
import { wireForm } from './wire-form.ts';

export async function track(sender: ApiClient, id: string): Promise<SentMessageBody> {
  const { body } = await sender.expect(200, 'getSentMessage', { params: { id } });
  return wireForm(sentMessageAnswer, body).message;
}

export async function trackPerson(sender: ApiClient, id: string, address: string) {
  const person = (await track(sender, id)).people.find((candidate) => candidate.address === address);
  assert.ok(person !== undefined, `${address} is not among the people`);
  return person;
}

/** Clicks Download on the page of a message; path of the file, or null when it is not offered. */
export async function clickFile(browser: Browser, id: string, attachmentId: string): Promise<string | null> {
  const { location } = await browser.post(`/message/${id}/download/${attachmentId}`);
  return location?.includes('/dl/') === true ? location : null;
}

/** A recipient who proves this address and downloads these files. */
export async function downloadAs(app: TestApp, address: string, id: string, attachmentIds: string[]): Promise<void> {
  const browser = await browserProving(app, address);
  for (const attachmentId of attachmentIds) {
    const path = await clickFile(browser, id, attachmentId);
    assert.ok(path !== null, `${address} was not let in`);
    assert.equal((await browser.get(path)).status, 200);
    await until(() => isWritten(app, { id, address, attachmentId }));
  }
}

/** The log line is finished after the last byte has left, so the reader may be faster. */
async function isWritten(app: TestApp, download: { id: string; address: string; attachmentId: string }) {
  const rows = await app.app.ctx.db.read
    .selectFrom('downloads')
    .select('outcome')
    .where('message_id', '=', download.id)
    .where('recipient', '=', download.address)
    .where('attachment_id', '=', download.attachmentId)
    .execute();
  return rows.length > 0 && rows.every((row) => row.outcome === 'complete');
}

/** Waits until the server has recorded the end of each download: before that, a click resumes the running one. */
export async function untilDownloadsEnd(app: TestApp): Promise<void> {
  await until(async () => {
    const { read } = app.app.ctx.db;
    const lines = await read.selectFrom('downloads').select('number').where('outcome', '=', 'granted').execute();
    const requests = await read
      .selectFrom('download_requests')
      .select('number')
      .where('outcome', '=', 'running')
      .execute();
    return lines.length + requests.length === 0;
  });
}
