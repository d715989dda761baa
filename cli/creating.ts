// Making something on the server exactly once, also when the answer is lost or the program is killed: the key and the
// body are written down before they are sent, and the same command uses them again.
import { setTimeout as wait } from 'node:timers/promises';
import { ClientProblem } from '#contract/client.ts';
import { localFailure } from './failures.ts';
import type { Job } from './jobs.ts';
import type { Session } from './session.ts';

export interface Creation<Body> {
  /** Of several creations of one command. */
  name: string;
  body: Body;
  /** The server knows Idempotency-Key. */
  hasKeys: boolean;
  /** Send it although it may have been sent before. */
  isAgain: boolean;
}

/** The server remembers a key for 24 hours. */
const keyLifeMs = 23 * 3_600_000;
const waitsMs = [1_000, 4_000];

export async function createOnce<Body, Answer>(
  { world }: Session,
  job: Job,
  { name, body, hasKeys, isAgain }: Creation<Body>,
  call: (body: Body, headers: Record<string, string>) => Promise<Answer>,
): Promise<Answer> {
  if (isAgain) job.forgetSent(name);
  const before = job.sent(name);
  if (before !== null && (!hasKeys || world.now() - before.sentAt > keyLifeMs))
    throw localFailure(
      `it is not known whether this was sent on ${new Date(before.sentAt).toISOString().slice(0, 16).replace('T', ' ')} UTC: the answer never came`,
      'send.unknown',
      'Look with `waybill list`; to send it in any case, add --again.',
    );
  const sent = before ?? job.keepSent(name, body);
  const headers: Record<string, string> = hasKeys ? { 'idempotency-key': sent.key } : {};
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call(sent.body as Body, headers);
    } catch (error) {
      const isUnknown = error instanceof ClientProblem && (error.status === 0 || error.status >= 500);
      // Refused: nothing was made, and the next attempt may have another body.
      if (!isUnknown && error instanceof ClientProblem) job.forgetSent(name);
      const pause = waitsMs[attempt];
      if (!isUnknown || !hasKeys || pause === undefined || world.signal.aborted) throw error;
      await wait(pause, undefined, { signal: world.signal }).catch(() => {});
    }
  }
}
