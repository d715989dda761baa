// A receipt as COSE (RFC 9942): the signed document, with a receipt of inclusion for each of its events, in their order.
import { inclusionReceipt, signedStatement } from '../../lib/cose.ts';
import { parseCheckpoint, parseProof } from '../../lib/tlog/checkpoints.ts';
import { parseNote } from '../../lib/tlog/notes.ts';
import type { Ctx } from '../context.ts';
import { openSigner, type SignedReceipt } from './signing.ts';

export async function coseReceipt(ctx: Ctx, { document, text }: SignedReceipt): Promise<Buffer> {
  const signer = await openSigner(ctx);
  const receipts = document.events.map(({ proof }) => {
    const { index, hashes, checkpoint } = parseProof(proof);
    const { size, root } = parseCheckpoint(parseNote(checkpoint).text);
    return inclusionReceipt({ index, size, root, path: hashes }, signer);
  });
  return signedStatement({ payload: Buffer.from(text), contentType: 'application/json', receipts }, signer);
}
