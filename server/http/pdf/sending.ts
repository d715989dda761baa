import type { IncomingMessage } from 'node:http';
import type { HttpDeps } from '../deps.ts';
import { alreadySent } from '../endpoint.ts';
import { readerOf } from '../transport/languages.ts';
import type { Exchange } from '../transport/router.ts';
import { type PdfDocument, renderDocument } from './receipts.ts';

export function wantsPdf({ query, raw }: { query: { format?: string | undefined }; raw: IncomingMessage }): boolean {
  if (query.format !== undefined) return query.format === 'pdf';
  return (raw.headers.accept ?? '').trim().startsWith('application/pdf');
}

export async function sendPdf(call: Exchange & { deps: HttpDeps }, document: PdfDocument): Promise<typeof alreadySent> {
  const { deps, raw, response, requestId } = call;
  const pdf = await renderDocument(deps.ctx, document, readerOf(deps, raw));
  response.writeHead(200, {
    ...fileHeaders(`${document.id}.pdf`, 'application/pdf', requestId),
    'content-length': pdf.length,
  });
  response.end(pdf);
  return alreadySent;
}

export function fileHeaders(name: string, type: string, requestId: string): Record<string, string> {
  return {
    'content-type': type,
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    vary: 'Accept, Accept-Language, Authorization, Cookie',
    'x-request-id': requestId,
  };
}
