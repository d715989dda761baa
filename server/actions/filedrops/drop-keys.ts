// Keys of drop pages. A GET issues one; the first upload opens it and counts per page and network.

import {
  countOpenedDropKeys,
  countUnopenedDropKeys,
  findDropKey,
  insertDropKey,
  type NewDropKey,
  openDropKey,
} from '../../db/filedrops/filedrops.ts';
import type { Query } from '../../db/schema/schema.ts';
import { lockUser } from '../../db/users/users.ts';
import { attemptLimits } from '../../domain/attempt-limits.ts';
import type { Caller } from '../../domain/caller.ts';
import { invalid } from '../../domain/problem.ts';
import type { DropKey } from '../../domain/submissions.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import { takeAttemptIn } from '../attempts.ts';
import type { Ctx } from '../context.ts';

/** The page of a key. */
export interface DropPage {
  name: string;
  ownerId: string;
}

const keyLifetimeMs = 86_400_000;
const hourMs = 3_600_000;
const opened = { page: 60, network: attemptLimits.dropKeys.most };

/** Further keys are recognized by their checksum only. */
const maxUnopened = 1000;

/** 48 bits of time, 40 random bits, 40 bits of keyed hash. */
const timeBytes = 6;
const nonceBytes = 5;
const checkBytes = 5;
const keyLength = 22;

/** Valid for one day and one delivery. */
export async function issueDropKey(ctx: Ctx, page: DropPage): Promise<string> {
  const key = makeKey(ctx, page, ctx.clock.now());
  // Stored for clients that upload without naming the page.
  const hasRoom = async (db: Query) => (await countUnopenedDropKeys(db, page.name, maxUnopened)) < maxUnopened;
  if (!(await hasRoom(ctx.db.read))) return key;
  await ctx.db.write(async (tx) => {
    if (await hasRoom(tx)) await insertDropKey(tx, rowOf(ctx, page, key, ctx.clock.now()));
  });
  return key;
}

export function dropKeyHash(ctx: Ctx, key: string): Buffer {
  return ctx.keys.hash('drop-key', key);
}

function rowOf(ctx: Ctx, { name, ownerId }: DropPage, key: string, issuedAt: number): NewDropKey {
  const lookup = dropKeyHash(ctx, key);
  return { id: ctx.random.id(), lookup, ownerId, dropName: name, now: issuedAt, expiresAt: issuedAt + keyLifetimeMs };
}

function makeKey(ctx: Ctx, page: DropPage, now: number): string {
  const body = Buffer.concat([Buffer.alloc(timeBytes), ctx.random.bytes(nonceBytes)]);
  body.writeUIntBE(now, 0, timeBytes);
  const bytes = Buffer.concat([body, checkOf(ctx, page, body)]);
  return toLetters(BigInt(`0x${bytes.toString('hex')}`)).padStart(keyLength, alphabet[0]);
}

function checkOf(ctx: Ctx, { name, ownerId }: DropPage, body: Buffer): Buffer {
  return ctx.keys.hash('drop-key-check', `${ownerId}\0${name}\0${body.toString('hex')}`).subarray(0, checkBytes);
}

/** Issue time of a key that was not stored; null if invalid. */
function readKey(ctx: Ctx, page: DropPage, key: string): number | null {
  if (!/^[A-Za-z0-9]{22}$/.test(key)) return null;
  const hex = fromLetters(key)
    .toString(16)
    .padStart((timeBytes + nonceBytes + checkBytes) * 2, '0');
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length !== timeBytes + nonceBytes + checkBytes) return null;
  const body = bytes.subarray(0, timeBytes + nonceBytes);
  if (!checkOf(ctx, page, body).equals(bytes.subarray(body.length))) return null;
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

/** `unstored`: the row to insert. */
export interface KeyToOpen {
  key: DropKey;
  unstored: NewDropKey | null;
}

/** Null for a key of another page. Writes nothing. */
export async function findKeyToOpen(ctx: Ctx, page: DropPage, key: string): Promise<KeyToOpen | null> {
  const stored = await findDropKey(ctx.db.read, dropKeyHash(ctx, key));
  if (stored !== null) return { key: stored, unstored: null };
  const issuedAt = readKey(ctx, page, key);
  if (issuedAt === null || issuedAt + keyLifetimeMs <= ctx.clock.now()) return null;
  const unstored = rowOf(ctx, page, key, issuedAt);
  const { id, ownerId, dropName, expiresAt } = unstored;
  return { key: { id, ownerId, dropName, expiresAt, pending: null, state: 'open', isOpened: false }, unstored };
}

/** For the first upload. Exact under concurrent requests. A refused key gets no row. */
export async function openForUploads(ctx: Ctx, caller: Caller, { key, unstored }: KeyToOpen): Promise<DropKey> {
  if (key.isOpened) return key;
  const now = ctx.clock.now();
  const network = networkOf(caller.from.address);
  return ctx.db.write(async (tx) => {
    await lockUser(tx, key.ownerId);
    // Locks the network's counter against concurrent uploads to other pages.
    await takeAttemptIn(ctx, tx, ['dropKeys'], { network });
    if (unstored !== null) await insertDropKey(tx, unstored);
    // A concurrent upload may have stored the key.
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
