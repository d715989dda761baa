// A receipt as PDF in the reader's language, with the JSON embedded and a signature over every byte.

import type { Ctx } from '../../actions/context.ts';
import { openSigner, type SignedReceipt, signDocument } from '../../actions/receipts/signing.ts';
import type { ReceiptBody } from '../../domain/receipts.ts';
import { type PdfBlock, type PdfColumn, renderPdf } from '../../lib/pdf.ts';
import { type PaperReader, type WordKey, type Words, wordsFor } from './words.ts';

export interface Paper {
  id: string;
  title: WordKey;
  organisation: string;
  madeAt: string;
  /** The embedded file, byte for byte. */
  json: string;
  blocks(words: Words): PdfBlock[];
}

export function receiptPaper({ document, text }: SignedReceipt): Paper {
  const { receipt } = document;
  return {
    id: receipt.id,
    title: `title.${receipt.kind}`,
    organisation: receipt.organisation,
    madeAt: receipt.made_at,
    json: text,
    blocks: (words) => receiptBlocks(receipt, words),
  };
}

/** The PDF, followed by a signed note over all bytes before it, which PDF readers take for a comment. */
export async function printPaper(ctx: Ctx, paper: Paper, reader: PaperReader): Promise<Buffer> {
  const words = wordsFor(reader);
  const title = words.text(paper.title);
  const name = `${paper.id}.json`;
  const pdf = await renderPdf({
    title,
    author: paper.organisation,
    language: reader.locale,
    madeAt: new Date(paper.madeAt),
    blocks: [
      ...paper.blocks(words),
      { is: 'heading', text: words.text('howToCheck') },
      { is: 'text', text: words.text('check', { file: name }) },
      { is: 'small', text: words.text('letters') },
    ],
    footer: (page, pages) => `${title} · ${paper.id} · ${words.text('page', { page, pages })}`,
    file: { name, text: paper.json, description: title },
  });
  const signer = await openSigner(ctx);
  const note = signDocument(signer, { label: 'file', id: paper.id, text: pdf });
  const [, offset] = /startxref\n(\d+)\n%%EOF\n$/.exec(pdf.subarray(-60).toString('latin1')) ?? [];
  if (offset === undefined) throw new Error('a PDF does not end as PDFs do');
  const tail = `\n%waybill-note ${Buffer.from(note).toString('base64')}\nstartxref\n${offset}\n%%EOF\n`;
  return Buffer.concat([pdf, Buffer.from(tail)]);
}

function receiptBlocks(receipt: ReceiptBody, words: Words): PdfBlock[] {
  const { text, instant } = words;
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
  rows.push([text('state'), text(`state.${receipt.state}` as WordKey)]);
  const blocks: PdfBlock[] = [{ is: 'pairs', rows }, ...fileBlocks(receipt, words)];
  if (receipt.kind === 'request') blocks.push(...answerBlocks(receipt, words));
  else if (!isDeletion) blocks.push(...downloadBlocks(receipt, words));
  const pending = receipt.pending_events.length;
  if (pending > 0) blocks.push({ is: 'small', text: text('pending', { n: pending }) });
  return blocks;
}

function fileBlocks({ files }: ReceiptBody, { text, bytes, instant }: Words): PdfBlock[] {
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

function downloadBlocks(receipt: ReceiptBody, words: Words): PdfBlock[] {
  const { text, bytes, instant } = words;
  const heading: PdfBlock = { is: 'heading', text: text('downloads') };
  if (receipt.downloads.length === 0) return [heading, { is: 'text', text: text('noDownloads') }];
  const names = new Map(receipt.files.map((file) => [file.id, file.name ?? file.id]));
  const rows = receipt.downloads.map((download) => [
    instant(download.at),
    download.by_owner ? text('ownerThemselves') : download.to === '' ? text('unknown') : download.to,
    names.get(download.file) ?? download.file,
    download.whole ? `${bytes(download.bytes)} (${text('whole')})` : bytes(download.bytes),
    download.ip,
  ]);
  const columns: PdfColumn[] = [
    { label: text('when'), share: 4 },
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
  ];
}

function answerBlocks({ answers }: ReceiptBody, { text, bytes, instant }: Words): PdfBlock[] {
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
