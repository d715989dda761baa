import type { transferEndpoints } from '#contract/admin/transfers.ts';
import type { receiptEndpoints } from '#contract/receipts.ts';
import { coseReceipt } from '../../actions/receipts/cose.ts';
import { getDeletion } from '../../actions/receipts/deletion.ts';
import { getReceipt, getReceiptByReference } from '../../actions/receipts/receipts.ts';
import type { SignedReceipt } from '../../actions/receipts/signing.ts';
import { alreadySent, type Call, type Serve } from '../endpoint.ts';
import { receiptDocument } from '../pdf/receipts.ts';
import { fileHeaders, sendPdf, wantsPdf } from '../pdf/sending.ts';

export function serveReceipts(serve: Serve): void {
  serve('getMessageReceipt', async (call) =>
    answer(call, await getReceipt(call.ctx, call.caller, { kind: 'message', id: call.params.id })),
  );
  serve('getLinkReceipt', async (call) =>
    answer(call, await getReceipt(call.ctx, call.caller, { kind: 'link', id: call.params.id })),
  );
  serve('getRequestReceipt', async (call) =>
    answer(call, await getReceipt(call.ctx, call.caller, { kind: 'request', id: call.params.id })),
  );
  serve('getTransferReceipt', async (call) =>
    answer(call, await getReceiptByReference(call.ctx, call.caller, call.params.reference)),
  );
  serve('getDeletionCertificate', async (call) =>
    answer(call, await getDeletion(call.ctx, call.caller, call.params.id)),
  );
}

/** The JSON is sent exactly as it was signed. */
async function answer(
  call: Call<(typeof receiptEndpoints)[keyof typeof receiptEndpoints] | typeof transferEndpoints.getTransferReceipt>,
  receipt: SignedReceipt,
): Promise<typeof alreadySent> {
  if (wantsPdf(call)) return sendPdf(call, receiptDocument(receipt));
  const { response, requestId, query } = call;
  const { id } = receipt.document.receipt;
  const isCose = query.format === 'cose';
  const bytes = isCose ? await coseReceipt(call.ctx, receipt) : Buffer.from(receipt.text);
  const headers = isCose
    ? fileHeaders(`${id}.cose`, 'application/cose; cose-type="cose-sign1"', requestId)
    : fileHeaders(`${id}.json`, 'application/json; charset=utf-8', requestId);
  response.writeHead(200, { ...headers, 'content-length': bytes.length });
  response.end(bytes);
  return alreadySent;
}
