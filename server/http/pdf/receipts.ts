import type { Ctx } from '../../actions/context.ts';
import { openSigner, type SignedReceipt, signDocument } from '../../actions/receipts/signing.ts';
import type { ReceiptBody } from '../../domain/receipts.ts';
import { type PdfBlock, type PdfColumn, renderPdf } from '../../lib/pdf.ts';
import { proofBlocks, requestBlocks } from './proofs.ts';
import { type PdfReader, type PdfTexts, type TextKey, textsFor } from './texts.ts';

export interface PdfDocument {
  id: string;
  title: TextKey;
  organisation: string;
  /** Address of the installation. */
  service: string;
  madeAt: string;
  /** The embedded file, byte for byte. */
  json: string;
  blocks(texts: PdfTexts): PdfBlock[];
}

export function receiptDocument({ document, text }: SignedReceipt): PdfDocument {
  const { receipt } = document;
  return {
    id: receipt.id,
    title: `title.${receipt.kind}`,
    organisation: receipt.organisation,
    service: receipt.service,
    madeAt: receipt.made_at,
    json: text,
    blocks: (texts) => receiptBlocks(receipt, texts),
  };
}

/** A signed note over all bytes follows the PDF, whose readers take it for a comment. */
export async function renderDocument(ctx: Ctx, document: PdfDocument, reader: PdfReader): Promise<Buffer> {
  const texts = textsFor(reader);
  const title = texts.text(document.title);
  const name = `${document.id}.json`;
  const pdf = await renderPdf({
    title,
    author: document.organisation,
    language: reader.locale,
    madeAt: new Date(document.madeAt),
    blocks: [
      ...document.blocks(texts),
      { is: 'heading', text: texts.text('howToCheck') },
      { is: 'text', text: texts.text('check', { file: name }) },
      { is: 'text', text: texts.text('whereKey', { url: `${document.service}/evidence/keys` }) },
      { is: 'small', text: texts.text('letters') },
    ],
    footer: (page, pages) => `${title} · ${document.id} · ${texts.text('page', { page, pages })}`,
    file: { name, text: document.json, description: title },
  });
  const signer = await openSigner(ctx);
  const note = signDocument(signer, { label: 'file', id: document.id, text: pdf });
  const [, offset] = /startxref\n(\d+)\n%%EOF\n$/.exec(pdf.subarray(-60).toString('latin1')) ?? [];
  if (offset === undefined) throw new Error('a PDF does not end as PDFs do');
  const tail = `\n%waybill-note ${Buffer.from(note).toString('base64')}\nstartxref\n${offset}\n%%EOF\n`;
  return Buffer.concat([pdf, Buffer.from(tail)]);
}

function receiptBlocks(receipt: ReceiptBody, texts: PdfTexts): PdfBlock[] {
  const { text, instant } = texts;
  const isDeletion = receipt.kind === 'deletion';
  const owner = [receipt.owner.name, receipt.owner.email].filter((part) => part !== '').join(', ');
  const rows: [string, string][] = [
    [text('organisation'), receipt.organisation],
    [text('service'), receipt.service],
    [text('reference'), receipt.id],
    [text('madeAt'), instant(receipt.made_at)],
    [text('owner'), owner],
  ];
  if (!isDeletion) {
    rows.push([text('from'), receipt.from]);
    if (receipt.to.length > 0) rows.push([text('to'), receipt.to.map(({ address }) => address).join(', ')]);
    rows.push([text('created'), instant(receipt.created_at)], [text('expires'), receipt.expires_at]);
  }
  rows.push([text('state'), text(`state.${receipt.state}` as TextKey)]);
  const blocks: PdfBlock[] = [{ is: 'pairs', rows }, ...fileBlocks(receipt, texts)];
  if (receipt.kind === 'request') blocks.push(...answerBlocks(receipt, texts));
  else if (!isDeletion) blocks.push(...downloadBlocks(receipt, texts));
  const pending = receipt.pending_events.length;
  if (pending > 0) blocks.push({ is: 'small', text: text('pending', { n: pending }) });
  return [...blocks, ...proofBlocks(receipt, texts)];
}

function fileBlocks({ files }: ReceiptBody, { text, bytes, instant }: PdfTexts): PdfBlock[] {
  return [
    { is: 'heading', text: text('files') },
    {
      is: 'table',
      columns: [
        { label: text('file'), share: 4 },
        { label: text('bytes'), share: 2, isNumber: true },
        { label: text('sha256'), share: 5 },
        { label: text('keyDestroyed'), share: 3 },
      ],
      rows: files.map((file) => [
        file.name ?? file.id,
        bytes(file.size),
        file.sha256,
        file.deleted_at === null ? text('kept') : instant(file.deleted_at),
      ]),
    },
  ];
}

function downloadBlocks(receipt: ReceiptBody, texts: PdfTexts): PdfBlock[] {
  const { text, bytes, instant } = texts;
  const heading: PdfBlock = { is: 'heading', text: text('downloads') };
  if (receipt.downloads.length === 0) return [heading, { is: 'text', text: text('noDownloads') }];
  const names = new Map(receipt.files.map((file) => [file.id, file.name ?? file.id]));
  const rows = receipt.downloads.map((download) => [
    instant(download.at),
    download.ended_at === null ? text('stillRunning') : instant(download.ended_at),
    download.by_owner ? text('ownerThemselves') : download.to === '' ? text('unknown') : download.to,
    names.get(download.file) ?? download.file,
    download.whole ? `${bytes(download.bytes)} (${text('whole')})` : bytes(download.bytes),
    download.ip,
  ]);
  const columns: PdfColumn[] = [
    { label: text('when'), share: 4 },
    { label: text('endedAt'), share: 4 },
    { label: text('who'), share: 4 },
    { label: text('file'), share: 4 },
    { label: text('bytes'), share: 3, isNumber: true },
    { label: text('network'), share: 3 },
  ];
  const more = receipt.more_downloads;
  return [
    heading,
    { is: 'table', columns, rows },
    ...(more > 0 ? [{ is: 'small', text: text('moreDownloads', { n: more }) } as const] : []),
    ...requestBlocks(receipt, texts),
  ];
}

function answerBlocks({ answers }: ReceiptBody, { text, bytes, instant }: PdfTexts): PdfBlock[] {
  return [
    { is: 'heading', text: text('answers') },
    {
      is: 'table',
      columns: [
        { label: text('when'), share: 3 },
        { label: text('from'), share: 4 },
        { label: text('bytes'), share: 2, isNumber: true },
        { label: text('reference'), share: 3 },
      ],
      rows: answers.map((answer) => [instant(answer.at), answer.from, bytes(answer.size), answer.id]),
    },
  ];
}
