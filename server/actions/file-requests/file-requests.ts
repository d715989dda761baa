// Creates File Requests, and decides what their recipients may do.
import type { NamedAddress } from '../../db/contacts/contact-names.ts';
import { findFileRequest, insertFileRequest } from '../../db/file-requests/file-requests.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { findUser } from '../../db/users/users.ts';
import { confirmedEmail } from '../../domain/addresses.ts';
import type { Caller, Uploader, UserCaller } from '../../domain/caller.ts';
import { type Expiry, resolveExpiry } from '../../domain/expiry.ts';
import { type FileRequest, requestAt } from '../../domain/file-requests.ts';
import { readBody, readSubject } from '../../domain/messages.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import { resolveSwitch } from '../../domain/switches.ts';
import { readEmail, type User } from '../../domain/users.ts';
import { checkConfirmedEmail, requireConfirmedEmail } from '../account/addresses.ts';
import { rememberNames } from '../contacts/names.ts';
import type { Ctx, RuleContext } from '../context.ts';
import { record } from '../events.ts';
import { createOnce, type IdempotencyKey } from '../idempotency.ts';
import { queueMail, requireMailAllowance } from '../outbox.ts';
import { rememberSend } from '../policy/sends.ts';
import { openRules, type Rules, type Unresolved } from '../rules.ts';
import { submissionLimitsFor } from '../submissions/limits.ts';
import { nameTransfer } from '../transfers/references.ts';

export interface RequestInput {
  recipient: string;
  /** Name the caller gives the recipient. */
  names: NamedAddress[];
  subject: string;
  body: string;
  sendEmail: boolean;
  expiresOn: string | undefined;
  isReusable: boolean | undefined;
  copyToSender: boolean;
}

export interface NewFileRequest extends RequestInput {
  once: IdempotencyKey | null;
}

/** Limit of the expiry date; the group sets only the default. */
export const maxDays = 3650;

export async function createFileRequest(ctx: Ctx, caller: UserCaller, input: NewFileRequest): Promise<FileRequest> {
  return createOnce(ctx, caller, input.once, async () => {
    const rules = openRules();
    const settings = rules.require(await resolveRequest(ctx, caller, input, rules));
    return (tx) => create(ctx, tx, caller, { ...settings, input });
  });
}

export function assertMayRequest({ policy }: Pick<UserCaller, 'policy'>): void {
  if (!policy.can_use_file_requests)
    throw invalid(
      'request.not_permitted',
      'Your group can’t request files. Ask your administrator if you need to.',
    ).decidedBy('can_use_file_requests');
}

interface RequestSettings {
  recipient: string;
  subject: string;
  body: string;
  isReusable: boolean;
  expiry: Expiry;
}

/** Rules that need no transaction. */
export async function resolveRequest(
  ctx: Ctx,
  caller: UserCaller,
  input: RequestInput,
  rules: Rules,
): Promise<Unresolved<RequestSettings>> {
  await checkConfirmedEmail(caller, rules);
  return applyRequestRules(ctx, caller, input, rules);
}

/** Without rules about the current account, for replays. */
export async function applyRequestRules(
  ctx: RuleContext,
  caller: Pick<UserCaller, 'policy'>,
  input: RequestInput,
  rules: Rules,
): Promise<Unresolved<RequestSettings>> {
  await rules.check({ code: 'request.not_permitted', source: 'can_use_file_requests' }, () => assertMayRequest(caller));
  const recipient = await rules.check({ code: 'user.bad_email', source: 'installation' }, () =>
    readEmail(input.recipient, 'recipient'),
  );
  const subject = await rules.check({ code: 'message.bad_subject', source: 'installation' }, () =>
    readSubject(input.subject),
  );
  const body = await rules.check({ code: 'message.bad_body', source: 'installation' }, () => readBody(input.body));
  const isReusable = await rules.check(
    { code: 'message.setting_locked', source: 'file_request_multiuse_can_change' },
    () => resolveReuse(caller, input.isReusable),
  );
  const expiry = await rules.check({ code: 'request.expiry_too_late', source: 'installation' }, () =>
    resolveRequestExpiry(ctx, caller, input.expiresOn),
  );
  return { recipient, subject, body, isReusable, expiry };
}

function resolveReuse({ policy }: Pick<UserCaller, 'policy'>, input: boolean | undefined): boolean {
  return resolveSwitch({
    // The code that existing clients expect.
    noun: 'message',
    input,
    byDefault: policy.file_request_multiuse,
    mayChange: policy.file_request_multiuse_can_change,
    setting: 'file_request_multiuse_can_change',
    field: 'multiuse',
    what: 'whether a request may be used more than once',
  });
}

export function resolveRequestExpiry(ctx: RuleContext, caller: Pick<UserCaller, 'policy'>, input: string | undefined) {
  return resolveExpiry({
    input,
    defaultDays: caller.policy.file_request_expiration,
    maxDays,
    mayChange: true,
    now: ctx.clock.now(),
    timeZone: ctx.settings.surroundings.timeZone,
    noun: 'request',
  });
}

async function create(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  resolved: RequestSettings & { input: NewFileRequest },
): Promise<FileRequest> {
  const { input, recipient, subject, body, isReusable, expiry } = resolved;
  const id = ctx.random.id();
  const now = ctx.clock.now();
  if (input.sendEmail) await requireMailAllowance(ctx, tx, caller, [recipient]);
  const request = await insertFileRequest(tx, {
    id,
    ownerId: caller.userId,
    recipient,
    subject,
    body,
    isReusable,
    expiresOn: expiry.on,
    expiresAt: expiry.at,
    createdAt: now,
  });
  await nameTransfer(ctx, tx, id);
  await rememberNames(ctx, tx, caller, { names: input.names, addresses: [recipient] });
  await rememberSend(ctx, tx, caller, {
    id,
    facts: { kind: 'request', recipient, expiresOn: input.expiresOn, isReusable: input.isReusable },
  });
  await record(ctx, tx, caller, {
    action: 'request.created',
    object: { kind: 'request', id },
    ownerId: caller.userId,
    facts: { recipient, mailed: input.sendEmail },
  });
  if (input.sendEmail) {
    await queueRequestMail(ctx, tx, caller, { request, to: recipient });
    if (input.copyToSender) await queueRequestCopy(ctx, tx, caller, request);
  }
  return request;
}

/** Also used for reminders. */
export async function queueRequestMail(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  { request, to }: { request: FileRequest; to: string },
): Promise<void> {
  requireConfirmedEmail(caller);
  await queueMail(ctx, tx, {
    kind: 'file-request',
    to,
    ownerId: caller.userId,
    requestId: request.id,
    payload: { ...requestFacts(caller, request), url: requestUrl(ctx, request.id) },
  });
}

async function queueRequestCopy(ctx: Ctx, tx: Tx, caller: UserCaller, request: FileRequest): Promise<void> {
  await queueMail(ctx, tx, {
    kind: 'request-copy',
    to: caller.email,
    ownerId: caller.userId,
    requestId: request.id,
    payload: {
      ...requestFacts(caller, request),
      recipient: request.recipient,
      url: `${ctx.settings.surroundings.baseUrl}/app/requests/${request.id}`,
    },
  });
}

function requestFacts({ name, email }: UserCaller, { id, subject, body, expiresOn, isReusable }: FileRequest) {
  return { reference: id, sender: { name, address: email }, subject, body, expiresOn, isReusable };
}

export function requestUrl(ctx: Ctx, id: string): string {
  return `${ctx.settings.surroundings.baseUrl}/requests/${id}`;
}

export interface RequestVisit {
  request: FileRequest;
  asker: { name: string; email: string };
  /** Receives files for the owner; null once closed. */
  uploader: Uploader | null;
}

/** Null for an unknown id. Changes nothing. */
export async function visitFileRequest(ctx: Ctx, caller: Caller, id: string): Promise<RequestVisit | null> {
  const stored = await findFileRequest(ctx.db.read, id);
  if (stored === null) return null;
  const owner = await findUser(ctx.db.read, stored.ownerId);
  const request = requestAt(stored, ctx.clock.now());
  const isOwnerActive = owner?.state === 'active';
  const visible: FileRequest = isOwnerActive ? request : { ...request, state: 'closed' };
  if (visible.state !== 'open' || owner === undefined)
    return { request: visible, asker: askerOf(owner), uploader: null };
  const { policy } = owner;
  const submissionLimits = submissionLimitsFor(policy.message_max_size, visible.isReusable);
  const uploader: Uploader = { ownerId: owner.id, policy, source: `request:${id}`, submissionLimits, caller };
  return { request: visible, asker: askerOf(owner), uploader };
}

/** An unconfirmed address is not shown as the sender. */
function askerOf(owner: User | undefined): RequestVisit['asker'] {
  return owner === undefined ? { name: '', email: '' } : { name: owner.name, email: confirmedEmail(owner) ?? '' };
}

/** For uploads. */
export async function requireOpenRequest(ctx: Ctx, caller: Caller, id: string): Promise<Uploader> {
  const visit = await visitFileRequest(ctx, caller, id);
  if (visit === null) throw new Problem('not_found', 'request.not_found', 'There’s nothing at this address.');
  if (visit.uploader === null)
    throw new Problem('gone', 'request.closed', requestClosedSentence(visit.request.state)).withValues({
      state: visit.request.state,
    });
  return visit.uploader;
}

export function requestClosedSentence(state: FileRequest['state']): string {
  if (state === 'used') return 'This request has been answered. Ask for a new one if you need to send more.';
  return state === 'expired' ? 'This request has expired. Ask for a new one.' : 'This request is closed.';
}
