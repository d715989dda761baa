// Creates something on the server exactly once, even if the response is lost or the program is killed: the key and the
// body are saved before they are sent, and repeating the command reuses them.
import { setTimeout as wait } from 'node:timers/promises';
import { ClientProblem } from '#contract/client.ts';
import { localFailure } from './failures.ts';
import type { Job, Sent } from './jobs.ts';
import type { Session } from './session.ts';

export interface Creation<Body> {
  /** Distinguishes several creations of one command. */
  name: string;
  body: Body;
  /** The server supports Idempotency-Key. */
  hasKeys: boolean;
  /** Sends it even if it may have been sent before. */
  isAgain: boolean;
}

/** The server remembers a key for 24 hours. */
const keyLifeMs = 23 * 3_600_000;
const waitsMs = [1_000, 4_000];
/** Waits while the server assembles a large file. */
const notReadyWaitsMs = [250, 1_000, 2_000, 5_000];

export async function createOnce<Body, Answer>(
  session: Session,
  job: Job,
  { name, body, hasKeys, isAgain }: Creation<Body>,
  call: (body: Body, headers: Record<string, string>) => Promise<Answer>,
): Promise<Answer> {
  const { world } = session;
  if (isAgain) job.forgetSent(name);
  const before = sentBefore(job, name, body);
  if (before !== null && (!hasKeys || world.now() - before.sentAt > keyLifeMs))
    throw localFailure(
      `it is not known whether this was sent on ${new Date(before.sentAt).toISOString().slice(0, 16).replace('T', ' ')} UTC: the answer never came`,
      'send.unknown',
      'Look with `waybill list`; to send it in any case, add --again.',
    );
  const isPatient = patienceOf(session);
  let sent = before ?? job.keepSent(name, body);
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call(sent.body as Body, hasKeys ? { 'idempotency-key': sent.key } : {});
    } catch (error) {
      const isUnknown = error instanceof ClientProblem && (error.status < 300 || error.status >= 500);
      // Nothing was created, so the next attempt may have another body.
      if (!isUnknown && error instanceof ClientProblem) job.forgetSent(name);
      if (error instanceof ClientProblem && error.code === 'attachment.not_ready' && (await isPatient(attempt))) {
        // A new key, because the server repeats its answer for the old one.
        sent = job.keepSent(name, sent.body);
        continue;
      }
      const pause = waitsMs[attempt];
      if (!isUnknown || !hasKeys || pause === undefined || world.signal.aborted) throw error;
      await wait(pause, undefined, { signal: world.signal }).catch(() => {});
    }
  }
}

/** Null also if the body differs: another file, text or password is a new creation. */
function sentBefore(job: Job, name: string, body: unknown): Sent | null {
  const before = job.sent(name);
  return before !== null && withoutMoments(before.body) === withoutMoments(body) ? before : null;
}

/** `--expires 7d` gives a different time on each run. */
function withoutMoments(body: unknown): string {
  return JSON.stringify(body, (key, value: unknown) => (key === 'expires_at' ? undefined : value));
}

/** Waits before the next attempt; false when the time limit has passed or the command was stopped. */
function patienceOf({ world, settings }: Session): (attempt: number) => Promise<boolean> {
  const giveUpAt = performance.now() + settings.patienceMs;
  return async (attempt) => {
    const pause = notReadyWaitsMs[Math.min(attempt, notReadyWaitsMs.length - 1)]!;
    if (world.signal.aborted || performance.now() + pause > giveUpAt) return false;
    await wait(pause, undefined, { signal: world.signal }).catch(() => {});
    return !world.signal.aborted;
  };
}
