// What a document proves, what it does not, and what its numbers and times mean.
import type { ReceiptBody, ReceiptFile } from '../../domain/receipts.ts';
import type { PdfBlock } from '../../lib/pdf.ts';
import type { PdfTexts } from './texts.ts';

type Request = ReceiptBody['downloads'][number]['requests'][number];

export function proofBlocks(receipt: ReceiptBody, texts: PdfTexts): PdfBlock[] {
  const { text } = texts;
  const isOfDownloads = receipt.downloads.length > 0;
  const isWitnessed = receipt.checkpoints.every(({ witnesses }) => witnesses.length > 0);
  return [
    ...meaningBlocks(texts, isOfDownloads),
    { is: 'heading', text: text('sealedHeading') },
    ...checkpointBlocks(receipt, texts),
    ...receipt.files.flatMap((file) => deletionBlocks(file, texts)),
    { is: 'heading', text: text('notProven') },
    { is: 'text', text: text('notProvenFacts') },
    ...(isWitnessed ? [] : [{ is: 'text', text: text('notProvenWitness') } as const]),
    ...backupBlocks(receipt, texts),
  ];
}

export function meaningBlocks({ text }: PdfTexts, isOfDownloads: boolean): PdfBlock[] {
  return [
    ...(isOfDownloads ? [{ is: 'small', text: text('bytesMeaning') } as const] : []),
    { is: 'small', text: text('times') },
  ];
}

function checkpointBlocks({ checkpoints }: ReceiptBody, { text, bytes, instant }: PdfTexts): PdfBlock[] {
  if (checkpoints.length === 0) return [{ is: 'text', text: text('notSealed') }];
  return [
    {
      is: 'table',
      columns: [
        { label: text('entries'), share: 2, isNumber: true },
        { label: text('sealedAt'), share: 3 },
        { label: text('witnesses'), share: 6 },
      ],
      rows: checkpoints.map(({ size, sealed_at: at, witnesses }) => [
        bytes(size),
        instant(at),
        witnesses.length === 0
          ? text('noWitness')
          : witnesses.map((witness) => `${witness.name}, ${instant(witness.at)}`).join('; '),
      ]),
    },
  ];
}

function deletionBlocks(file: ReceiptFile, { text, instant }: PdfTexts): PdfBlock[] {
  if (file.deleted_at === null || file.deleted_key === null) return [];
  const values = { file: file.name ?? file.id, at: instant(file.deleted_at), key: file.deleted_key };
  return [{ is: 'text', text: text('deletionRecorded', values) }];
}

function backupBlocks({ files }: ReceiptBody, { text, instant }: PdfTexts): PdfBlock[] {
  const deleted = files.filter((file) => file.deleted_at !== null);
  if (deleted.length === 0) return [];
  const ends = deleted.flatMap((file) => file.backups_until ?? []).sort();
  const last = ends.at(-1);
  return [
    { is: 'text', text: text('notProvenDeletion') },
    { is: 'text', text: last === undefined ? text('backupsUnknown') : text('backupsUntil', { at: instant(last) }) },
  ];
}

/** The requests of all downloads that had more than one, or whose bytes are not certain. */
export function requestBlocks({ downloads, files }: ReceiptBody, texts: PdfTexts): PdfBlock[] {
  const { text, instant } = texts;
  const names = new Map(files.map((file) => [file.id, file.name ?? file.id]));
  const rows = downloads.flatMap(({ file, requests }) =>
    requests.map((request) => [
      instant(request.at),
      request.ended_at === null ? text('stillRunning') : instant(request.ended_at),
      names.get(file) ?? file,
      sentOf(request, texts),
      request.ip,
      [request.proof_kind, request.api_key || request.proof_id].filter((part) => part !== '').join(' '),
    ]),
  );
  if (rows.length === 0) return [];
  return [
    { is: 'heading', text: text('byteRequests') },
    {
      is: 'table',
      columns: [
        { label: text('when'), share: 4 },
        { label: text('endedAt'), share: 4 },
        { label: text('file'), share: 4 },
        { label: text('bytes'), share: 3, isNumber: true },
        { label: text('network'), share: 3 },
        { label: text('provenBy'), share: 4 },
      ],
      rows,
    },
  ];
}

function sentOf(request: Request, { text, bytes }: PdfTexts): string {
  if (request.outcome === 'running') return text('soFar', { bytes: bytes(request.bytes) });
  if (request.at_most === null) return bytes(request.bytes);
  return text('between', { bytes: bytes(request.bytes), most: bytes(request.at_most) });
}
