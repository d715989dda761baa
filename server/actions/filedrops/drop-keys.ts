// Keys of drop pages: what a GET hands out, and what the first upload under one opens. Asking for a key costs the page
// nothing; opening one counts by page and by network (security D12).

import {
  countOpenedDropKeys,
  countUnopenedDropKeys,
  findDropKey,
  insertDropKey,
  type NewDropKey,
  openDropKey,
} from '../../db/filedrops/filedrops.ts';
import { holdUser } from '../../db/users/users.ts';
import { attemptLimits } from '../../domain/attempt-limits.ts';
import type { Caller } from '../../domain/caller.ts';
import { invalid } from '../../domain/problem.ts';
import type { DropKey } from '../../domain/submissions.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import { takeAttemptIn } from '../attempts.ts';
import type { Ctx } from '../context.ts';

/** The page a key belongs to. */
export interface KeyPlace {
  name: string;
  ownerId: string;
}

const keyLifetimeMs = 86_400_000;
const hourMs = 3_600_000;
const opened = { page: 60, network: attemptLimits.dropKeys.most };

/** So many unused keys of a page are written down; further ones are known by their check alone. */
const mostUnopened = 1000;

/** 48 bits of time, 40 of chance and 40 that only we can compute. */
const timeBytes = 6;
const chanceBytes = 5;
const checkBytes = 5;
const keyLength = 22;

/** A key that is new on every call, lives one day and serves one delivery. */
export async function issueDropKey(ctx: Ctx, place: KeyPlace): Promise<string> {
  const key = makeKey(ctx, place, ctx.clock.now());
  // Written down so that it is found by clients that do not say at which page they upload.
  if ((await countUnopenedDropKeys(ctx.db.read, place.name, mostUnopened)) < mostUnopened)
    await ctx.db.write((tx) => insertDropKey(tx, rowOf(ctx, place, key, ctx.clock.now())));
  return key;
}

export function dropKeyHash(ctx: Ctx, key: string): Buffer {
  return ctx.keys.hash('drop-key', key);
}

function rowOf(ctx: Ctx, { name, ownerId }: KeyPlace, key: string, issuedAt: number): NewDropKey {
  const lookup = dropKeyHash(ctx, key);
  return { id: ctx.random.id(), lookup, ownerId, dropName: name, now: issuedAt, expiresAt: issuedAt + keyLifetimeMs };
}

function makeKey(ctx: Ctx, place: KeyPlace, now: number): string {
  const body = Buffer.concat([Buffer.alloc(timeBytes), ctx.random.bytes(chanceBytes)]);
  body.writeUIntBE(now, 0, timeBytes);
  const bytes = Buffer.concat([body, checkOf(ctx, place, body)]);
  return toLetters(BigInt(`0x${bytes.toString('hex')}`)).padStart(keyLength, alphabet[0]);
}

function checkOf(ctx: Ctx, { name, ownerId }: KeyPlace, body: Buffer): Buffer {
  return ctx.keys.hash('drop-key-check', `${ownerId}\0${name}\0${body.toString('hex')}`).subarray(0, checkBytes);
}

/** When a key of this page was handed out that nobody wrote down; null for anything else. */
function readKey(ctx: Ctx, place: KeyPlace, key: string): number | null {
  if (!/^[A-Za-z0-9]{22}$/.test(key)) return null;
  const hex = fromLetters(key)
    .toString(16)
    .padStart((timeBytes + chanceBytes + checkBytes) * 2, '0');
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length !== timeBytes + chanceBytes + checkBytes) return null;
  const body = bytes.subarray(0, timeBytes + chanceBytes);
  if (!checkOf(ctx, place, body).equals(bytes.subarray(body.length))) return null;
  const issuedAt = body.readUIntBE(0, timeBytes);
  return issuedAt <= ctx.clock.now() ? issuedAt : null;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const base = BigInt(alphabet.length);

function toLetters(number: bigint): string {
  return number === 0n ? '' : toLetters(number / base) + alphabet[Number(number % base)];
}

function fromLetters(text: string): bigint {
  return [...text].reduce((sum, letter) => sum * base + BigInt(alphabet.indexOf(letter)), 0n);
}

/** `unstored` is the row of a key that has none yet. */
export interface KeyToOpen {
  key: DropKey;
  unstored: NewDropKey | null;
}

/** A key of this page, stored or not; null for any other key. Writes nothing. */
export async function findKeyToOpen(ctx: Ctx, place: KeyPlace, key: string): Promise<KeyToOpen | null> {
  const known = await findDropKey(ctx.db.read, dropKeyHash(ctx, key));
  if (known !== null) return { key: known, unstored: null };
  const issuedAt = readKey(ctx, place, key);
  if (issuedAt === null || issuedAt + keyLifetimeMs <= ctx.clock.now()) return null;
  const unstored = rowOf(ctx, place, key, issuedAt);
  const { id, ownerId, dropName, expiresAt } = unstored;
  return { key: { id, ownerId, dropName, expiresAt, pending: null, state: 'open', isOpened: false }, unstored };
}

/**
 * Before the first upload under a key; returns the key as it is stored. Exact, however many come at once. A refused key
 * gets no row.
 */
export async function openForUploads(ctx: Ctx, caller: Caller, { key, unstored }: KeyToOpen): Promise<DropKey> {
  if (key.isOpened) return key;
  const now = ctx.clock.now();
  const network = networkOf(caller.from.address);
  return ctx.db.write(async (tx) => {
    await holdUser(tx, key.ownerId);
    // Whoever comes from the same network to other pages waits here.
    await takeAttemptIn(ctx, tx, ['dropKeys'], { network });
    if (unstored !== null) await insertDropKey(tx, unstored);
    // The same key may have been stored by another upload meanwhile.
    const stored = unstored === null ? key : (await findDropKey(tx, unstored.lookup))!;
    if (!(await openDropKey(tx, stored.id, network, now))) return stored;
    const since = now - hourMs;
    if ((await countOpenedDropKeys(tx, { dropName: key.dropName }, since)) > opened.page)
      throw invalid(
        'filedrop.too_many',
        'Too many people have begun to send files here within an hour. Wait a while, then try again.',
      );
    if ((await countOpenedDropKeys(tx, { network }, since)) > opened.network)
      throw invalid(
        'filedrop.too_many',
        'Too many deliveries were begun from your network within an hour. Wait a while, then try again.',
      );
    return stored;
  });
}
