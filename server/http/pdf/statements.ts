import type { ExposureFindings } from '../../actions/statements/exposure.ts';
import type { LeaveFindings, Statement, StatementDocument, TransferCounts } from '../../domain/statements.ts';
import type { PdfBlock, PdfColumn } from '../../lib/pdf.ts';
import { meaningBlocks } from './proofs.ts';
import type { PdfDocument } from './receipts.ts';
import type { PdfTexts, TextKey } from './texts.ts';

/** `names`: of files whose names the reader may see. */
export function statementDocument(
  { documentText, note }: Pick<Statement, 'documentText' | 'note'>,
  names: ReadonlyMap<string, string> = new Map(),
): PdfDocument {
  const statement = JSON.parse(documentText) as StatementDocument;
  return {
    id: statement.id,
    title: `title.${statement.kind}`,
    organisation: statement.organisation,
    service: statement.service,
    madeAt: statement.made_at,
    json: JSON.stringify({ statement, note }),
    blocks: (texts) => [
      { is: 'pairs', rows: commonRows(statement, texts) },
      ...(statement.kind === 'leave'
        ? leaveBlocks(statement.findings as unknown as LeaveFindings, texts)
        : exposureBlocks(statement.findings as unknown as ExposureFindings, texts, names)),
      ...meaningBlocks(texts, statement.kind === 'exposure'),
      { is: 'heading', text: texts.text('notProven') },
      { is: 'text', text: texts.text('notProvenStatement') },
    ],
  };
}

function commonRows(statement: StatementDocument, { text, instant }: PdfTexts): [string, string][] {
  const { made_by: maker } = statement;
  return [
    [text('organisation'), statement.organisation],
    [text('service'), statement.service],
    [text('reference'), statement.id],
    [text('madeAt'), instant(statement.made_at)],
    [text('madeBy'), nameOf(maker)],
    [text('about'), subjectOf(statement.about)],
  ];
}

function nameOf({ name, email }: { name: string; email: string }): string {
  return [name, email].filter((part) => part !== '').join(', ');
}

function subjectOf(about: StatementDocument['about']): string {
  const {
    user,
    api_key: key,
    address,
    ip,
  } = about as {
    user?: { name: string; email: string };
    api_key?: { prefix: string; name: string };
    address?: string;
    ip?: string;
  };
  const parts = [address, ip, user && nameOf(user), key && `${key.prefix}… ${key.name}`];
  return parts.filter((part) => part !== undefined).join(', ');
}

function leaveBlocks(findings: LeaveFindings, { text, bytes }: PdfTexts): PdfBlock[] {
  const { ended, hand_over_to: newOwner } = findings;
  const yesOrCount = (value: number | boolean) =>
    typeof value === 'number' ? bytes(value) : text(value ? 'yes' : 'no');
  const endedRows = Object.entries(ended).map(([what, value]): [string, string] => [
    text(`ended.${what}` as TextKey),
    yesOrCount(value as number | boolean),
  ]);
  const transfers = (title: TextKey, counts: TransferCounts): PdfBlock[] => [
    { is: 'heading', text: text(title) },
    {
      is: 'pairs',
      rows: (['messages', 'links', 'requests', 'deliveries', 'bytes'] as const).map((what): [string, string] => [
        text(what),
        bytes(counts[what]),
      ]),
    },
    ...listOf(counts, text('reference'), text('bytes'), bytes),
  ];
  return [
    {
      is: 'pairs',
      rows: [
        [text('handOverTo'), newOwner === null ? text('nobody') : nameOf(newOwner)],
        [text('reason'), findings.reason],
      ],
    },
    { is: 'heading', text: text('ended') },
    { is: 'pairs', rows: endedRows },
    ...transfers('handedOver', findings.handed_over),
    ...transfers('stopped', findings.stopped),
    { is: 'pairs', rows: [[text('keptDeliveries'), bytes(findings.kept_deliveries)]] },
  ];
}

function listOf({ transfers }: TransferCounts, id: string, size: string, bytes: PdfTexts['bytes']): PdfBlock[] {
  if (transfers.length === 0) return [];
  const columns: PdfColumn[] = [
    { label: id, share: 3 },
    { label: size, share: 2, isNumber: true },
  ];
  return [{ is: 'table', columns, rows: transfers.map((transfer) => [transfer.id, bytes(transfer.size)]) }];
}

function exposureBlocks(findings: ExposureFindings, texts: PdfTexts, names: ReadonlyMap<string, string>): PdfBlock[] {
  const { text, bytes, instant } = texts;
  const { reachable, left, closed } = findings;
  const pairs = (rows: [TextKey, number][]): PdfBlock => ({
    is: 'pairs',
    rows: rows.map(([key, count]) => [text(key), bytes(count)]),
  });
  const account: PdfBlock[] =
    closed.account === null
      ? []
      : [{ is: 'pairs', rows: [[text('account'), text(`account.${closed.account.state}`)]] }];
  // Statements of earlier versions have no `left_out`.
  const { transfers = 0, downloads = 0 }: Partial<ExposureFindings['left_out']> = findings.left_out ?? {};
  const leftOut =
    transfers + downloads === 0
      ? []
      : [
          pairs([
            ['leftOutTransfers', transfers],
            ['leftOutDownloads', downloads],
          ]),
        ];
  return [
    {
      is: 'pairs',
      rows: [[text('span'), text('spanFromTo', { from: instant(findings.from), to: instant(findings.to) })]],
    },
    { is: 'heading', text: text('reachable') },
    pairs([
      ['transfers', reachable.transfers],
      ['files', reachable.files],
      ['bytes', reachable.bytes],
    ]),
    reachTable(reachable.list, texts),
    { is: 'heading', text: text('left') },
    pairs([
      ['downloads', left.downloads],
      ['files', left.files],
      ['bytes', left.bytes],
    ]),
    leftTable(left.list, texts, names),
    { is: 'heading', text: text('closed') },
    pairs([
      ['closed', closed.transfers],
      ['stillOpen', closed.open],
    ]),
    ...account,
    ...leftOut,
  ];
}

function reachTable(list: ExposureFindings['reachable']['list'], { text, bytes, instant }: PdfTexts): PdfBlock {
  return {
    is: 'table',
    columns: [
      { label: text('reference'), share: 4 },
      { label: text('from'), share: 4 },
      { label: text('until'), share: 4 },
      { label: text('bytes'), share: 3, isNumber: true },
      { label: text('stillOpen'), share: 2 },
    ],
    rows: list.map((one) => [
      one.id,
      instant(one.from),
      instant(one.until),
      bytes(one.size),
      text(one.open_now ? 'yes' : 'no'),
    ]),
  };
}

function leftTable(
  list: ExposureFindings['left']['list'],
  { text, bytes, instant }: PdfTexts,
  names: ReadonlyMap<string, string>,
): PdfBlock {
  return {
    is: 'table',
    columns: [
      { label: text('when'), share: 4 },
      { label: text('endedAt'), share: 4 },
      { label: text('who'), share: 4 },
      { label: text('file'), share: 4 },
      { label: text('network'), share: 3 },
      { label: text('bytes'), share: 3, isNumber: true },
      { label: text('sha256'), share: 5 },
    ],
    rows: list.map((one) => [
      instant(one.at),
      one.ended_at === null ? text('stillRunning') : instant(one.ended_at),
      one.by_owner ? text('ownerThemselves') : one.to === '' ? text('unknown') : one.to,
      names.get(one.attachment) ?? one.attachment,
      one.ip,
      bytes(one.bytes),
      one.sha256,
    ]),
  };
}
