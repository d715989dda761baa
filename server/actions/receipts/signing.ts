// Signs a receipt: the log's key signs a note over the SHA-256 of the document.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { RecordedEvent } from '../../db/events/events.ts';
import { maxListedEvents, type ReceiptBody, type ReceiptDocument, type ReceiptEvent } from '../../domain/receipts.ts';
import { type Signer, signNote, verifierKey } from '../../lib/tlog/notes.ts';
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
  body: Omit<ReceiptBody, 'pending_events'>,
  recorded: readonly RecordedEvent[],
): Promise<SignedReceipt> {
  const proven: ReceiptEvent[] = [];
  const pending: number[] = [];
  for (const { seq } of recorded.toSorted((one, other) => one.seq - other.seq).slice(0, maxListedEvents)) {
    const proof = await proveEvent(ctx, seq);
    if (proof === null) pending.push(seq);
    else
      proven.push({
        seq,
        entry: proof.entry.toString('utf8'),
        fields: proof.fields.filter(({ field }) => !hiddenFields.has(field)),
        proof: proof.proof,
      });
  }
  const signer = await openSigner(ctx);
  const keys = (await listVerifiers(ctx)).map(verifierKey);
  const isForOwner = body.made_for === 'owner';
  const receipt = { ...(isForOwner ? body : await withReferences(ctx, body)), pending_events: pending };
  const events = isForOwner ? proven : await withoutIds(ctx, proven);
  const document: ReceiptDocument = { receipt, events, keys };
  const note = signDocument(signer, { label: 'receipt', id: receipt.id, text: JSON.stringify(document) });
  const signed = { ...document, note };
  return { document: signed, text: JSON.stringify(signed) };
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
