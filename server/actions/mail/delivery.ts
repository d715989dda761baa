// Mail delivery for System Administrators.
import {
  countHeldMails,
  countRefusedMails,
  countWaitingMails,
  dropMail,
  findMailRecord,
  listMails,
  listRefusedMails,
  type MailFilter,
  type MailRecord,
  retryMail,
} from '../../db/mail/mail-queue.ts';
import { domainOf } from '../../domain/audience.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { Check } from '../../domain/checks.ts';
import { invalid, notFound, Problem } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import { parseAddress } from '../../lib/address.ts';
import type { TestPayload } from '../../mail/kinds/test-mail.ts';
import { renderMail } from '../../mail/render.ts';
import { findMailLogo } from '../branding/branding.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { mailLocale } from '../languages.ts';
import { mailFrame } from '../messages/mails.ts';
import { referencesOf } from '../transfers/references.ts';
import { checkDomain } from './domain-check.ts';
import type { MailConnection } from './mail-connection.ts';

export type { MailFilter, MailRecord } from '../../db/mail/mail-queue.ts';

const dayMs = 24 * 3_600_000;

export async function describeDelivery(
  ctx: Ctx,
  caller: UserCaller,
): Promise<{ waiting: number; held: number; refusedToday: number }> {
  requireRight(caller, 'system.read');
  const [waiting, held, refusedToday] = await Promise.all([
    countWaitingMails(ctx.db.read),
    countHeldMails(ctx.db.read),
    countRefusedMails(ctx.db.read, ctx.clock.now() - dayMs),
  ]);
  return { waiting, held, refusedToday };
}

/** Sends a test mail synchronously, to the caller by default. */
export async function testDelivery(
  ctx: Ctx,
  caller: UserCaller,
  mailConnection: MailConnection,
  input: string | undefined,
): Promise<{ to: string; steps: Check[] }> {
  requireRight(caller, 'system.change');
  const test = await sendTestMail(ctx, caller, mailConnection, { to: recipientOf(caller, input) });
  await recordTest(ctx, caller, { ...test, kind: 'test' });
  return test;
}

/** With the settings in force, or with others before they are saved. */
export async function sendTestMail(
  ctx: Ctx,
  caller: UserCaller,
  mailConnection: MailConnection,
  { to = caller.email, candidate }: { to?: string; candidate?: ReturnType<MailConnection['with']> },
): Promise<{ to: string; steps: Check[] }> {
  const { route } = candidate ?? mailConnection;
  const id = ctx.random.id();
  const payload: TestPayload = {
    reference: id.slice(0, 8),
    requestedBy: caller.name || caller.email,
    server: route.server,
    security: route.security === 'none' ? 'none (this machine)' : route.security,
    user: route.user,
    fromAddress: route.from,
    envelopeFrom: route.envelopeFrom,
    ratePerMinute: route.perMinute,
  };
  const frame = { ...mailFrame(ctx, await mailLocale(ctx, to, undefined)), logo: await findMailLogo(ctx) };
  const mail = { id, to, rendered: renderMail('test', payload, frame) };
  return { to, steps: await mailConnection.sendNow(mail, candidate?.inForce) };
}

export function recipientOf(caller: UserCaller, input: string | undefined): string {
  if (input === undefined || input === '') return caller.email;
  const address = parseAddress(input, { allowSingleLabel: true });
  if (address === null) throw invalid('mail_test.bad_address', 'Enter one e-mail address.', 'to');
  return address.address;
}

export async function recordTest(
  ctx: Ctx,
  caller: UserCaller,
  test: { to: string; kind: string; steps: Check[] },
): Promise<void> {
  const failed = test.steps.find(({ state }) => state === 'failed');
  await ctx.db.write((tx) =>
    record(ctx, tx, caller, {
      action: 'mail.tested',
      object: { kind: 'mail', id: test.kind },
      ownerId: '',
      facts: { recipient: test.to, failed: failed?.code ?? '' },
    }),
  );
}

export async function checkMailDomain(
  ctx: Ctx,
  caller: UserCaller,
  mailConnection: MailConnection,
  selector: string | undefined,
): Promise<{ name: string; checks: Check[] }> {
  requireRight(caller, 'system.read');
  const { from, envelopeFrom, host } = mailConnection.route;
  const publicHost = new URL(ctx.settings.surroundings.baseUrl).hostname.replace(/^\[|\]$/g, '');
  const name = domainOf(from);
  const sending = {
    fromDomain: name,
    envelopeDomain: domainOf(envelopeFrom),
    hosts: [...(host === null ? [] : [host]), publicHost],
  };
  return { name, checks: await checkDomain(mailConnection.records, sending, selector ? selector : null) };
}

export async function listMailQueue(
  ctx: Ctx,
  caller: UserCaller,
  filter: MailFilter,
  size: number,
): Promise<{ mails: MailRecord[]; next: MailFilter['after'] }> {
  requireRight(caller, 'system.read');
  const mails = await listMails(ctx.db.read, filter, size + 1);
  const last = mails.length > size ? mails[size - 1]! : null;
  return {
    mails: await withReferences(ctx, mails.slice(0, size)),
    next: last === null ? null : { createdAt: last.createdAt, id: last.id },
  };
}

async function withReferences(ctx: Ctx, mails: MailRecord[]): Promise<MailRecord[]> {
  const references = await referencesOf(
    ctx,
    mails.flatMap(({ about }) => about ?? []),
  );
  return mails.map((mail) => ({ ...mail, about: references.get(mail.about ?? '') ?? null }));
}

export async function retryQueuedMail(ctx: Ctx, caller: UserCaller, id: string): Promise<MailRecord> {
  return changeQueued(ctx, caller, id, 'mail.retried');
}

export async function dropQueuedMail(ctx: Ctx, caller: UserCaller, id: string): Promise<MailRecord> {
  return changeQueued(ctx, caller, id, 'mail.dropped');
}

async function changeQueued(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  action: 'mail.retried' | 'mail.dropped',
): Promise<MailRecord> {
  requireRight(caller, 'system.change');
  const changed = await ctx.db.write(async (tx) => {
    const before = await findMailRecord(tx, id);
    if (before === undefined) throw notFound('queued mail');
    const now = ctx.clock.now();
    const isDone =
      action === 'mail.retried'
        ? await retryMail(tx, id, now)
        : await dropMail(tx, id, 'dropped by an administrator', now);
    if (!isDone)
      throw new Problem(
        'conflict',
        'mail.not_waiting',
        'This e-mail is being sent, or has left already. Nothing was changed.',
      );
    await record(ctx, tx, caller, {
      action,
      object: { kind: 'mail', id },
      ownerId: '',
      facts: { recipient: before.recipient, kind: before.kind, from: before.state },
    });
    return (await findMailRecord(tx, id))!;
  });
  return (await withReferences(ctx, [changed]))[0]!;
}

export interface DomainRefusals {
  domain: string;
  mails: number;
  lastAt: number;
  said: string;
}

const refusalPeriodMs = 30 * dayMs;
const maxRefusals = 10_000;

/** By recipient domain, most first. */
export async function listRefusals(ctx: Ctx, caller: UserCaller): Promise<DomainRefusals[]> {
  requireRight(caller, 'system.read');
  const byDomain = new Map<string, DomainRefusals>();
  for (const mail of await listRefusedMails(ctx.db.read, ctx.clock.now() - refusalPeriodMs, maxRefusals)) {
    const domain = domainOf(mail.recipient);
    const entry = byDomain.get(domain);
    if (entry !== undefined) entry.mails += 1;
    else byDomain.set(domain, { domain, mails: 1, lastAt: mail.finishedAt ?? mail.createdAt, said: mail.serverText });
  }
  return [...byDomain.values()].toSorted((a, b) => b.mails - a.mails || b.lastAt - a.lastAt);
}
