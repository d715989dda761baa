// All transfers, for administrators, without contents. Transfers of owners at or above the caller's rank are not found.
import { listGroups } from '../../db/groups/groups.ts';
import type { Query } from '../../db/schema/schema.ts';
import { describeTransfers, findTransferIds } from '../../db/transfers/transfer-details.ts';
import { listTransfers } from '../../db/transfers/transfers.ts';
import { findOutOfReach } from '../../db/users/reach.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid, notFound } from '../../domain/problem.ts';
import { isAdministrator, mayManage, requireRight } from '../../domain/roles.ts';
import {
  type Transfer,
  type TransferFilter,
  type TransferHead,
  type TransferKind,
  type TransferPlace,
  type TransferScope,
  type TransferState,
  transferKinds,
} from '../../domain/transfers.ts';
import { readEmail, type User } from '../../domain/users.ts';
import { parseAddress } from '../../lib/address.ts';
import { recordView } from '../audit/views.ts';
import type { Ctx } from '../context.ts';
import { findPerson, findVisible } from '../users/rights.ts';
import { findByReference, referencesOf } from './references.ts';

export interface TransferFilterInput {
  kind?: TransferKind | undefined;
  /** Id or address of the owner. */
  person?: string | undefined;
  group?: string | undefined;
  recipient?: string | undefined;
  domain?: string | undefined;
  state?: TransferState | undefined;
  /** In days, as is `newerThan`. */
  olderThan?: number | undefined;
  newerThan?: number | undefined;
  /** A reference, an id, or a URL with one in it. */
  id?: string | undefined;
  /** Only these. */
  references?: readonly string[] | undefined;
}

export interface TransferPage {
  transfers: Transfer[];
  /** The last transfer of this page; null at the end. */
  next: Transfer | null;
}

export async function listAllTransfers(
  ctx: Ctx,
  caller: UserCaller,
  input: TransferFilterInput,
  page: { before: TransferPlace | null; size: number },
): Promise<TransferPage> {
  requireRight(caller, 'console.read');
  const db = ctx.db.read;
  const query = { ...(await resolveFilter(ctx, caller, input)), scope: await scopeOf(ctx, caller) };
  const heads = await listTransfers(db, query, { before: page.before, limit: page.size + 1 });
  const shown = heads.slice(0, page.size);
  const transfers = await describeAll(ctx, shown);
  return { transfers, next: heads.length > page.size ? (transfers.at(-1) ?? null) : null };
}

export async function describeAll(ctx: Ctx, heads: TransferHead[]): Promise<Transfer[]> {
  const references = await referencesOf(
    ctx,
    heads.map(({ id }) => id),
  );
  const described = await describeTransfers(ctx.db.read, heads);
  return described.map((transfer) => ({ ...transfer, reference: references.get(transfer.id) ?? '' }));
}

export async function getReferenced(ctx: Ctx, reference: string): Promise<string> {
  const id = await findByReference(ctx.db.read, reference);
  if (id === null) throw notFound('transfer');
  return id;
}

export function findActable(ctx: Ctx, db: Query, caller: UserCaller, id: string): Promise<TransferHead> {
  requireRight(caller, 'console.change');
  return findReachable(ctx, db, caller, id);
}

async function findReachable(ctx: Ctx, db: Query, caller: UserCaller, id: string): Promise<TransferHead> {
  const query = { ...everything, ids: [id], scope: await scopeOf(ctx, caller) };
  const [transfer] = await listTransfers(db, query, { before: null, limit: 1 });
  if (transfer === undefined) throw notFound('transfer');
  return transfer;
}

/** Of these, those that the caller may see. */
export async function listReachable(ctx: Ctx, caller: UserCaller, ids: string[]): Promise<Transfer[]> {
  if (ids.length === 0) return [];
  const query = { ...everything, ids, scope: await scopeOf(ctx, caller) };
  return describeAll(ctx, await listTransfers(ctx.db.read, query, { before: null, limit: ids.length }));
}

export async function viewTransfer(ctx: Ctx, caller: UserCaller, id: string): Promise<Transfer> {
  const transfer = await describeTransfer(ctx, caller, id);
  const object = { kind: objectKindOf(transfer), id } as const;
  await recordView(ctx, caller, { action: 'transfer.viewed', object, ownerId: transfer.owner.id });
  return transfer;
}

export function objectKindOf({ kind }: Pick<TransferHead, 'kind'>): 'message' | 'link' | 'request' {
  return kind === 'link' || kind === 'request' ? kind : 'message';
}

export async function describeTransfer(ctx: Ctx, caller: UserCaller, id: string): Promise<Transfer> {
  requireRight(caller, 'console.read');
  const head = await findReachable(ctx, ctx.db.read, caller, id);
  return (await describeAll(ctx, [head]))[0]!;
}

export const everything: TransferFilter = {
  kinds: transferKinds,
  ownerId: null,
  groupId: null,
  recipient: null,
  domain: null,
  state: null,
  createdFrom: null,
  createdBefore: null,
  ids: null,
};

/** Hides groups the caller does not manage. Auditors see all. */
export async function scopeOf(ctx: Ctx, caller: UserCaller): Promise<TransferScope> {
  const groups = isAdministrator(caller) ? await listGroups(ctx.db.read) : [];
  const hidden = groups.filter((group) => !mayManage(caller, group));
  return { hiddenGroupIds: hidden.map(({ id }) => id), callerId: caller.userId, now: ctx.clock.now() };
}

export async function findHiddenOwners(ctx: Ctx, caller: UserCaller, ownerIds: Iterable<string>): Promise<Set<string>> {
  return findOutOfReach(ctx.db.read, [...new Set(ownerIds)], await scopeOf(ctx, caller));
}

const dayMs = 86_400_000;
const idPattern = /[A-Za-z0-9]{22}/g;

/** Ages become instants, so that a stored filter keeps its meaning. */
export async function resolveFilter(ctx: Ctx, caller: UserCaller, input: TransferFilterInput): Promise<TransferFilter> {
  const now = ctx.clock.now();
  const given = (text: string | undefined) => (text === undefined || text.trim() === '' ? null : text.trim());
  const person = given(input.person);
  const recipient = given(input.recipient);
  const id = given(input.id);
  return {
    kinds: input.kind === undefined ? transferKinds : [input.kind],
    ownerId: person === null ? null : (await findOwner(ctx, caller, person)).id,
    groupId: given(input.group),
    recipient: recipient === null ? null : readEmail(recipient, 'recipient'),
    domain: readDomain(given(input.domain)),
    state: input.state ?? null,
    createdBefore: input.olderThan === undefined ? null : now - input.olderThan * dayMs,
    createdFrom: input.newerThan === undefined ? null : now - input.newerThan * dayMs,
    ids:
      input.references === undefined
        ? id === null
          ? null
          : await findNamed(ctx, id)
        : await findListed(ctx, input.references),
  };
}

async function findListed(ctx: Ctx, references: readonly string[]): Promise<string[]> {
  const ids = await Promise.all(references.map((reference) => findByReference(ctx.db.read, reference)));
  return ids.filter((id) => id !== null);
}

/** By a reference, or by ids anywhere in the text. */
async function findNamed(ctx: Ctx, text: string): Promise<string[]> {
  const id = await findByReference(ctx.db.read, text);
  return id === null ? findTransferIds(ctx.db.read, (text.match(idPattern) ?? []).slice(0, 10)) : [id];
}

/** Auditors see all transfers, so they may look up anyone. */
export async function findOwner(ctx: Ctx, caller: UserCaller, person: string): Promise<User> {
  if (isAdministrator(caller)) return findVisible(ctx.db.read, caller, person);
  const user = await findPerson(ctx.db.read, person);
  if (user === undefined) throw notFound('user');
  return user;
}

/** Accepts `harbour.example`, with or without an @ before it. */
function readDomain(text: string | null): string | null {
  if (text === null) return null;
  const address = parseAddress(`a@${text.replace(/^.*@/, '')}`, { allowSingleLabel: true });
  if (address === null) throw invalid('transfer.bad_domain', 'Enter a domain such as example.com.', 'domain');
  return address.address.slice(2);
}
