// Sends mail with Microsoft Graph: `POST /users/<mailbox>/sendMail` with the MIME text in Base64.
import type { Check, CheckCode } from '#server/domain/checks.ts';
import type { MailSetup } from '#server/domain/mail-settings.ts';
import type { MailResult, MailTransport, OutgoingMail } from '#server/domain/ports.ts';
import { createSemaphore } from '#server/lib/gate.ts';
import { type PostReply, post } from '#server/lib/https-post.ts';
import { composeMime, type DkimKey, findFault } from './compose.ts';
import { connectionFault, tokenFaultCheck } from './faults.ts';
import { oneLine } from './replies.ts';
import { TokenFault, type TokenSource } from './tokens.ts';

export interface GraphSettings {
  setup: MailSetup;
  tokens: TokenSource;
  dkim: DkimKey | null;
  now(): number;
}

interface GraphFault {
  code: string;
  said: string;
  status: number;
  /** Asked for by Graph; 0 when not. */
  waitMs: number;
}

/** Exchange Online serves an application four parallel requests for a mailbox. */
const mostAtOnce = 4;
const longestWaitMs = 3_600_000;

export function openGraphTransport(settings: GraphSettings): MailTransport {
  const sending = new Set<Promise<MailResult>>();
  const turns = createSemaphore(mostAtOnce, Number.POSITIVE_INFINITY);
  let resumesAt = 0;
  const sendNow = async (mail: OutgoingMail): Promise<MailResult> => {
    const waitMs = resumesAt - settings.now();
    if (waitMs > 0) return { outcome: 'deferred', reason: 'Microsoft Graph has asked to wait', waitMs };
    const result = await deliver(settings, mail);
    if (result.outcome === 'deferred') resumesAt = settings.now() + (result.waitMs ?? 0);
    return result;
  };
  return {
    isReal: true,
    async send(mail) {
      const result = turns.run(() => sendNow(mail));
      sending.add(result);
      try {
        return await result;
      } finally {
        sending.delete(result);
      }
    },
    /** Asks for a token only, because every other call needs further permissions. */
    async check() {
      try {
        await settings.tokens.get();
        return null;
      } catch (error) {
        return `token: ${(error as Error).message}`;
      }
    },
    async close() {
      await Promise.all(sending);
    },
  };
}

async function deliver(settings: GraphSettings, mail: OutgoingMail): Promise<MailResult> {
  const fault = findFault(mail);
  if (fault !== null) return { outcome: 'refused', reason: `not handed over: ${fault}` };
  try {
    const refusal = await hand(settings, await composeMime(mail, settings.dkim));
    if (refusal === null) return { outcome: 'accepted', serverText: 'Microsoft Graph: 202 Accepted' };
    const reason = oneLine(`${refusal.code}: ${refusal.said}`);
    return isAboutTheMail(refusal)
      ? { outcome: 'refused', reason }
      : { outcome: 'deferred', reason, waitMs: refusal.waitMs };
  } catch (error) {
    const words = error instanceof TokenFault ? `token: ${error.message}` : (error as Error).message;
    return { outcome: 'deferred', reason: oneLine(words) };
  }
}

/** Null if the mail was accepted. A refused token is replaced once. */
async function hand(settings: GraphSettings, mime: Buffer): Promise<GraphFault | null> {
  const token = await settings.tokens.get();
  const first = await call(settings, token, mime);
  const reply = first.status === 401 ? await call(settings, await settings.tokens.get(token), mime) : first;
  return reply.status === 202 ? null : faultIn(reply);
}

function call({ setup }: GraphSettings, token: string, mime: Buffer): Promise<PostReply> {
  const url = new URL(`${setup.graphUrl.replace(/\/$/, '')}/v1.0/users/${encodeURIComponent(setup.user)}/sendMail`);
  return post(url, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
    body: mime.toString('base64'),
    timeoutMs: 60_000,
  });
}

function faultIn({ status, headers, body }: PostReply): GraphFault {
  const waitMs = waitIn(headers['retry-after']);
  try {
    const { error } = JSON.parse(body) as { error?: { code?: unknown; message?: unknown } };
    return { status, waitMs, code: String(error?.code ?? status), said: String(error?.message ?? '') };
  } catch {
    return { status, waitMs, code: String(status), said: oneLine(body) };
  }
}

function waitIn(seconds = ''): number {
  return /^\d{1,9}$/.test(seconds) ? Math.min(Number(seconds) * 1000, longestWaitMs) : 0;
}

/** Permissions and mailboxes can be corrected by the operator, so those mails wait. */
function isAboutTheMail({ status, code }: GraphFault): boolean {
  return status === 413 || (status === 400 && /recipient|mime|invalidcontent|size/i.test(code));
}

const steps = ['token', 'resolve', 'connect', 'encrypt', 'sender', 'recipient', 'queued'] as const;

/** The steps in order; those after a failure are `skipped`. */
export async function testGraph(settings: GraphSettings, mail: OutgoingMail): Promise<Check[]> {
  const { setup } = settings;
  const { hostname: host, port, protocol } = new URL(setup.graphUrl);
  const values = {
    host,
    port: port || (protocol === 'https:' ? '443' : '80'),
    protocol,
    from: setup.user,
    to: mail.to,
  };
  const failed = (check: string, code: CheckCode, said: string, more = {}) =>
    completed({ check, state: 'failed', code, values: { ...values, ...more }, said: oneLine(said) }, values);
  try {
    const refusal = await hand(settings, await composeMime(mail, settings.dkim));
    if (refusal === null) return completed(null, values);
    const [step, code] = stepOf(refusal);
    return failed(step, code, `${refusal.code}: ${refusal.said}`);
  } catch (error) {
    if (error instanceof TokenFault) {
      const { code, values: named } = tokenFaultCheck(error, setup.tokenUrl);
      return failed('token', code, error.message, named);
    }
    const { step, code } = connectionFault(error as Error, 0);
    return failed(step, code, (error as Error).message);
  }
}

function stepOf({ status, code }: GraphFault): [string, CheckCode] {
  if (status === 429 || status >= 500) return ['queued', 'smtp.try_later'];
  if (status === 401) return ['token', 'token.not_accepted'];
  if (status === 400 && /recipient/i.test(code)) return ['recipient', 'smtp.recipient_refused'];
  if (status === 403 || status === 404) return ['sender', 'graph.sender_refused'];
  return ['queued', 'smtp.text_refused'];
}

function completed(failed: Check | null, values: Record<string, string>): Check[] {
  const at = failed === null ? steps.length : steps.indexOf(failed.check as (typeof steps)[number]);
  const passed: Record<(typeof steps)[number], CheckCode> = {
    resolve: 'graph.resolved',
    connect: 'smtp.connected',
    encrypt: values.protocol === 'https:' ? 'graph.encrypted' : 'smtp.local',
    token: 'token.received',
    sender: 'smtp.sender_accepted',
    recipient: 'smtp.recipient_accepted',
    queued: 'smtp.queued',
  };
  return steps.map((check, index): Check => {
    if (index === at && failed !== null) return failed;
    if (index > at) return { check, state: 'skipped', code: 'smtp.not_reached' };
    return { check, state: 'passed', code: passed[check], values };
  });
}
