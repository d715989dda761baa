// Signs a receipt: the log's key signs a note over the SHA-256 of the document.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { RecordedEvent } from '../../db/events/events.ts';
import { findCheckpoint } from '../../db/evidence/evidence.ts';
import {
  maxListedEvents,
  type ReceiptCheckpoint,
  type ReceiptDocument,
  type ReceiptEvent,
  type UnsealedReceipt,
} from '../../domain/receipts.ts';
import { isoInstant } from '../../lib/dates.ts';
import { cosignedAt, parseCheckpoint } from '../../lib/tlog/checkpoints.ts';
import { parseNote, type Signer, signNote, type Verifier, verifierKey } from '../../lib/tlog/notes.ts';
import type { Ctx } from '../context.ts';
import { listVerifiers, openLog } from '../evidence/log.ts';
import { proveEvent } from '../evidence/prove.ts';
import { withReferences } from '../transfers/references.ts';

/** `text` is the file, byte for byte. */
export interface SignedReceipt {
  document: ReceiptDocument & { note: string };
  text: string;
}

/** The request id links an event to internal logs. */
const hiddenFields = new Set(['request']);

export async function signReceipt(
  ctx: Ctx,
  body: UnsealedReceipt,
  recorded: readonly RecordedEvent[],
): Promise<SignedReceipt> {
  const proven: ReceiptEvent[] = [];
  const pending: number[] = [];
  const used = new Set<string>();
  for (const { seq } of recorded.toSorted((one, other) => one.seq - other.seq).slice(0, maxListedEvents)) {
    const proof = await proveEvent(ctx, seq);
    if (proof === null) pending.push(seq);
    else {
      used.add(proof.checkpoint);
      proven.push({
        seq,
        entry: proof.entry.toString('utf8'),
        fields: proof.fields.filter(({ field }) => !hiddenFields.has(field)),
        proof: proof.proof,
      });
    }
  }
  const signer = await openSigner(ctx);
  const verifiers = await listVerifiers(ctx);
  const keys = verifiers.map(verifierKey);
  const checkpoints = await Promise.all([...used].map((note) => describeCheckpoint(ctx, note, verifiers)));
  checkpoints.sort((one, other) => one.size - other.size);
  const isForOwner = body.made_for === 'owner';
  const receipt = { ...(isForOwner ? body : await withReferences(ctx, body)), pending_events: pending, checkpoints };
  const events = isForOwner ? proven : await withoutIds(ctx, proven);
  const document: ReceiptDocument = { receipt, events, keys };
  const note = signDocument(signer, { label: 'receipt', id: receipt.id, text: JSON.stringify(document) });
  const signed = { ...document, note };
  return { document: signed, text: JSON.stringify(signed) };
}

async function describeCheckpoint(ctx: Ctx, note: string, keys: readonly Verifier[]): Promise<ReceiptCheckpoint> {
  const { text, signatures } = parseNote(note);
  const { size } = parseCheckpoint(text);
  const { lastSeq, createdAt } = (await findCheckpoint(ctx.db.read, size))!;
  const byOthers = signatures.filter(
    (line) => !keys.some(({ name, keyId }) => name === line.name && keyId === line.keyId),
  );
  const witnesses = byOthers.map((line) => ({ name: line.name, at: isoInstant(cosignedAt(line) * 1000) }));
  return { size, last_event: lastSeq, sealed_at: isoInstant(createdAt), witnesses };
}

/** Ids of transfers can be proven to the owner only. */
async function withoutIds(ctx: Ctx, events: ReceiptEvent[]): Promise<ReceiptEvent[]> {
  const shown = await withReferences(ctx, events);
  return events.map((event, place) => ({
    ...event,
    fields: event.fields.filter(({ value }, at) => isDeepStrictEqual(value, shown[place]!.fields[at]!.value)),
  }));
}

/** MUST be called outside a transaction, because it may create the log and its key. */
export async function openSigner(ctx: Ctx): Promise<Signer> {
  return (await openLog(ctx)).signer;
}

/** A signed note of three lines: kind, id, and SHA-256 of the text. */
export function signDocument(
  signer: Signer,
  { label, id, text }: { label: 'receipt' | 'statement' | 'file'; id: string; text: string | Buffer },
): string {
  const digest = createHash('sha256').update(text).digest('base64');
  return signNote(`waybill ${label}\n${id}\n${digest}\n`, [signer]);
}
