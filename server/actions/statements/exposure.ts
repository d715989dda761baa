// Statement about exposure: what an account, key, e-mail address or network address could open in a period, what was
// downloaded, and what is closed now.
import { isIP } from 'node:net';
import { type DepartureScope, listDepartures } from '../../db/across/exposed-downloads.ts';
import { countAccessOf, findKeyById, listEventsOfKey } from '../../db/across/exposure.ts';
import { findLastSeq } from '../../db/events/events.ts';
import { insertStatement } from '../../db/statements/statements.ts';
import { findUser, listHoldersOf } from '../../db/users/users.ts';
import { confirmedAddresses } from '../../domain/addresses.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { listedRequests } from '../../domain/download-requests.ts';
import type { EventKind } from '../../domain/events.ts';
import {
  type DownloadRecord,
  type Reached,
  reachedIn,
  summarizeDownloads,
  summarizeReach,
} from '../../domain/exposure.ts';
import { invalid, notFound } from '../../domain/problem.ts';
import { isSystemAdministrator, requireRight } from '../../domain/roles.ts';
import type { Span } from '../../domain/spans.ts';
import type { Statement } from '../../domain/statements.ts';
import { readEmail, type User } from '../../domain/users.ts';
import { isoInstant, parseDate, parseDateOrInstant } from '../../lib/dates.ts';
import type { Ctx } from '../context.ts';
import { requireAgreementWithin } from '../receipts/agreement.ts';
import { openSigner } from '../receipts/signing.ts';
import { findHiddenOwners } from '../transfers/transfers.ts';
import { findVisible, isVisible } from '../users/rights.ts';
import { candidatesOfAddress, candidatesOfNetwork, candidatesOfUser } from './reach.ts';
import { documentOf, namedPerson, signStatement } from './statements.ts';

export interface ExposureInput {
  user?: string | undefined;
  apiKey?: string | undefined;
  address?: string | undefined;
  ip?: string | undefined;
  from: string;
  to: string;
}

interface Subject {
  about: Record<string, unknown>;
  user: User | null;
  /** For an API key: while it worked. */
  span: Span;
  scope: DepartureScope;
  reached: Reached[];
  accounts: { id: string; email: string; name: string; events: number }[];
  apiKey: 'active' | 'ended' | null;
}

/** Instants are ISO 8601 in UTC. */
export type ExposureFindings = ReturnType<typeof findingsOf>;

export async function stateExposure(ctx: Ctx, caller: UserCaller, input: ExposureInput): Promise<Statement> {
  requireRight(caller, 'people.manage');
  const span = readSpan(ctx, input);
  const subject = await findSubject(ctx, caller, input, span);
  const left = await listDepartures(ctx.db.read, subject.scope, subject.span);
  await requireAgreementWithin(ctx, caller, { span: subject.span, scope: subject.scope, lines: left });
  const hidden = await findHiddenOwners(
    ctx,
    caller,
    [...subject.reached, ...left].map(({ ownerId }) => ownerId),
  );
  const now = ctx.clock.now();
  const account = subject.user === null ? null : await countAccessOf(ctx.db.read, subject.user.id, now);
  const findings = findingsOf({ span, subject, left, account, hidden });
  const id = ctx.random.id();
  const signer = await openSigner(ctx);
  return ctx.db.write(async (tx) => {
    const maker = { id: caller.userId, email: caller.email, name: caller.name };
    const document = documentOf(ctx, { id, kind: 'exposure', maker, about: subject.about, findings: { ...findings } });
    const begunSeq = await findLastSeq(tx);
    const signed = await signStatement(ctx, tx, caller, { document, signer });
    const statement: Statement = {
      id,
      kind: 'exposure',
      state: 'made',
      aboutUserId: subject.user?.id ?? '',
      madeBy: caller.userId,
      begunSeq,
      ...signed,
      createdAt: now,
      finishedAt: now,
    };
    await insertStatement(tx, statement);
    return statement;
  });
}

/** An end date includes that whole day. */
function readSpan(ctx: Ctx, { from, to }: ExposureInput): Span {
  const { timeZone } = ctx.settings.surroundings;
  const begin = parseDateOrInstant(from.trim(), timeZone);
  const lastDay = parseDate(to.trim());
  const endText =
    lastDay === null ? to.trim() : new Date(Date.parse(to.trim()) + 86_400_000).toISOString().slice(0, 10);
  const end = parseDateOrInstant(endText, timeZone);
  if (begin === null || end === null)
    throw invalid(
      'exposure.bad_span',
      'Write the beginning and the end as dates, or as instants such as 2026-11-16T09:00:00Z.',
      begin === null ? 'from' : 'to',
    );
  if (begin >= end) throw invalid('exposure.empty_span', 'The end must be after the beginning.', 'to');
  return { from: begin, to: end };
}

async function findSubject(ctx: Ctx, caller: UserCaller, input: ExposureInput, span: Span): Promise<Subject> {
  const [user, apiKey, address, ip] = [input.user, input.apiKey, input.address, input.ip].map((text = '') =>
    text.trim(),
  );
  // A form may send empty fields.
  if ([user, apiKey, address, ip].filter((text) => text !== '').length !== 1)
    throw invalid('exposure.no_subject', 'Name one: a person, an API key, an e-mail address or a network address.');
  if (user) return subjectOfUser(ctx, await findVisible(ctx.db.read, caller, user), span);
  if (apiKey) return subjectOfKey(ctx, caller, apiKey, span);
  if (address) return subjectOfAddress(ctx, caller, readEmail(address, 'address'), span);
  return subjectOfNetwork(ctx, caller, ip!, span);
}

async function subjectOfUser(ctx: Ctx, user: User, span: Span): Promise<Subject> {
  const addresses = confirmedAddresses(user);
  return {
    about: { user: namedPerson(user) },
    user,
    span,
    scope: { ownerId: user.id, addresses },
    reached: reachedIn(await candidatesOfUser(ctx, { id: user.id, addresses }, span), span),
    accounts: [],
    apiKey: null,
  };
}

/** The account's first key has none. */
const begins: readonly EventKind[] = ['api_key.created', 'api_key.replaced'];

/** `text` is the key or its id. Everything its owner could open counts as reached. */
async function subjectOfKey(ctx: Ctx, caller: UserCaller, text: string, span: Span): Promise<Subject> {
  const lookup = ctx.keys.hash('api-key', text);
  const key = await findKeyById(ctx.db.read, { id: text, lookup });
  const events = await listEventsOfKey(ctx.db.read, key?.id ?? text);
  const ownerId = key?.userId ?? events[0]?.ownerId;
  const user = ownerId === undefined ? undefined : await findUser(ctx.db.read, ownerId);
  if (user === undefined || !isVisible(caller, user)) throw notFound('api_key');
  const made = key?.createdAt ?? events.find(({ action }) => begins.includes(action))?.at ?? user.createdAt;
  // Unknown: covers too much rather than too little.
  const ended = key === null ? (events.findLast(({ action }) => action === 'api_key.revoked')?.at ?? null) : key.endsAt;
  const working = { from: Math.max(span.from, made), to: Math.min(span.to, ended ?? span.to) };
  const id = key?.id ?? text;
  const isActive = key !== null && (key.endsAt === null || key.endsAt > ctx.clock.now()) && user.state === 'active';
  const addresses = confirmedAddresses(user);
  return {
    about: { api_key: { id, prefix: key?.prefix ?? '', name: key?.name ?? '' }, user: namedPerson(user) },
    user,
    span,
    scope: { apiKeyId: id },
    reached: reachedIn(await candidatesOfUser(ctx, { id: user.id, addresses }, working), working),
    accounts: [],
    apiKey: isActive ? 'active' : 'ended',
  };
}

/** The caller must see all accounts with this address. */
async function subjectOfAddress(ctx: Ctx, caller: UserCaller, address: string, span: Span): Promise<Subject> {
  const holders = await listHoldersOf(ctx.db.read, address);
  if (!holders.every((holder) => isVisible(caller, holder))) throw notFound('user');
  return {
    about: { address },
    user: holders[0] ?? null,
    span,
    scope: { addresses: [address] },
    reached: reachedIn(await candidatesOfAddress(ctx, { address, holders: holders.map(({ id }) => id) }, span), span),
    accounts: [],
    apiKey: null,
  };
}

/** The caller must see all accounts. */
async function subjectOfNetwork(ctx: Ctx, caller: UserCaller, ip: string, span: Span): Promise<Subject> {
  if (!isSystemAdministrator(caller)) requireRight(caller, 'people.everyone');
  if (isIP(ip) === 0) throw invalid('exposure.bad_ip', 'Enter a network address such as 192.0.2.7.', 'ip');
  const { candidates, accounts } = await candidatesOfNetwork(ctx, ip, span);
  const named: Subject['accounts'] = [];
  for (const { id, events } of accounts) {
    const user = await findUser(ctx.db.read, id);
    named.push({ id, email: user?.email ?? '', name: user?.name ?? '', events });
  }
  const reached = reachedIn(candidates, span);
  return { about: { ip }, user: null, span, scope: { ip }, reached, accounts: named, apiKey: null };
}

function findingsOf(found: {
  span: Span;
  subject: Subject;
  left: DownloadRecord[];
  account: { state: 'active' | 'disabled' | 'deleted'; apiKeys: number; sessions: number } | null;
  /** Outside the author's reach. */
  hidden: ReadonlySet<string>;
}) {
  const { span, subject, account, hidden } = found;
  const isShown = ({ ownerId }: { ownerId: string }) => !hidden.has(ownerId);
  const reach = summarizeReach(subject.reached.filter(isShown));
  const left = summarizeDownloads(found.left.filter(isShown));
  const hiddenTransfers = new Set(subject.reached.filter((one) => !isShown(one)).map(({ id }) => id));
  return {
    from: isoInstant(span.from),
    to: isoInstant(span.to),
    reachable: {
      transfers: reach.transfers,
      files: reach.files,
      bytes: reach.bytes,
      list: reach.list.map(reachableLine),
    },
    left: { ...left, list: left.list.map(departureLine) },
    left_out: { transfers: hiddenTransfers.size, downloads: found.left.length - left.downloads },
    accounts: subject.accounts,
    closed: {
      transfers: reach.closed,
      open: reach.open,
      account:
        account === null ? null : { state: account.state, api_keys: account.apiKeys, sessions: account.sessions },
      api_key: subject.apiKey,
    },
  };
}

function reachableLine(one: Reached) {
  return {
    id: one.id,
    kind: one.kind,
    way: one.way,
    owner: one.ownerId,
    address: one.address,
    from: isoInstant(one.from),
    until: isoInstant(one.until),
    files: one.files.length,
    size: one.files.reduce((total, { sizeBytes }) => total + sizeBytes, 0),
    open_now: one.isOpenNow,
  };
}

function departureLine(one: DownloadRecord) {
  return {
    kind: one.kind,
    id: one.targetId,
    owner: one.ownerId,
    number: one.number,
    attachment: one.attachmentId,
    sha256: one.sha256,
    size: one.sizeBytes,
    bytes: one.bytes,
    to: one.recipient,
    by_owner: one.isByOwner,
    ip: one.ip,
    at: isoInstant(one.at),
    ended_at: one.endedAt === null ? null : isoInstant(one.endedAt),
    total: one.totalBytes,
    at_most: one.atMostBytes,
    ...listedRequests(one),
  };
}
