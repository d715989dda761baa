import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClientProblem } from '#contract/client.ts';
import { createOnce } from './creating.ts';
import type { Job } from './jobs.ts';
import type { Session } from './session.ts';

function fakeJob(): Job {
  let sent: { key: string; sentAt: number; body: unknown } | null = null;
  let keys = 0;
  return {
    sent: () => sent,
    keepSent(_: string, body: unknown) {
      keys += 1;
      sent = { key: `key-${keys}`, sentAt: 0, body };
      return sent;
    },
    forgetSent() {
      sent = null;
    },
  } as unknown as Job;
}

const sessionOf = (patienceMs: number, signal = new AbortController().signal) =>
  ({ world: { now: () => 0, signal }, settings: { patienceMs } }) as unknown as Session;

const creation = { name: 'link', body: 'body', hasKeys: true, isAgain: false };
const notReady = () => new ClientProblem(422, { code: 'attachment.not_ready', errors: ['Wait a moment.'] }, {});

describe('making something of a file that the server still puts together', () => {
  it('waits until it is there, with a new key, because the refusal of the old one is remembered', async () => {
    const keys: (string | undefined)[] = [];
    const answer = await createOnce(sessionOf(60_000), fakeJob(), creation, async (body, headers) => {
      keys.push(headers['idempotency-key']);
      if (keys.length === 1) throw notReady();
      return `made of ${body}`;
    });
    assert.equal(answer, 'made of body');
    assert.deepEqual(keys, ['key-1', 'key-2']);
  });

  it('says so in the end, and nothing counts as sent', async () => {
    const job = fakeJob();
    await assert.rejects(
      createOnce(sessionOf(0), job, creation, () => Promise.reject(notReady())),
      { code: 'attachment.not_ready' },
    );
    assert.equal(job.sent('link'), null);
  });

  it('ends immediately when it is stopped', async () => {
    const stopping = new AbortController();
    const calling = createOnce(sessionOf(60_000, stopping.signal), fakeJob(), creation, () => {
      stopping.abort();
      return Promise.reject(notReady());
    });
    await assert.rejects(calling, { code: 'attachment.not_ready' });
  });
});
