import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReceiptBody } from '../../domain/receipts.ts';
import type { PdfBlock } from '../../lib/pdf.ts';
import { receiptDocument } from './receipts.ts';
import { type PdfTexts, textsFor } from './texts.ts';

const texts: PdfTexts = {
  text: (key, values) => (values === undefined ? key : `${key} ${JSON.stringify(values)}`),
  instant: (iso) => (iso === null ? '–' : `at ${iso}`),
  bytes: (count) => `${count} B`,
};

const receipt: ReceiptBody = {
  format: 'waybill-receipt/1',
  kind: 'message',
  id: 'm1',
  organisation: 'Org',
  service: 'https://s',
  made_at: 't0',
  made_for: 'owner',
  owner: { id: 'ann', name: 'Ann', email: 'ann@x' },
  from: 'desk@x',
  to: [
    { address: 'ben@y', role: 'to', access_ended_at: null },
    { address: 'cleo@y', role: 'cc', access_ended_at: null },
  ],
  created_at: 't1',
  created_event: 1,
  expires_at: '2026-12-01',
  state: 'active',
  files: [],
  downloads: [],
  more_downloads: 0,
  answers: [],
  pending_events: [],
  checkpoints: [],
};
const file = {
  id: 'f1',
  name: 'plan.txt',
  size: 9,
  sha256: 'aa',
  uploaded_event: 1,
  deleted_at: null,
  deleted_event: null,
  deleted_key: null,
  backups_until: null,
};
const download = {
  file: 'f1',
  to: 'ben@y',
  by_owner: false,
  ip: '::1',
  at: 't2',
  ended_at: null,
  bytes: 5,
  whole: false,
  event: 1,
  bytes_event: null,
  total: 5,
  at_most: null,
  requests: [],
  more_requests: 0,
};

/** Before what every document says about its numbers, times and proofs. */
const ownBlocks = (blocks: PdfBlock[]): PdfBlock[] =>
  blocks.slice(
    0,
    blocks.findIndex((block) => block.is === 'small' && /^(bytesMeaning|times)$/.test(block.text)),
  );

const blocksOf = (more: Partial<ReceiptBody>): PdfBlock[] => ownBlocks(allBlocksOf(more));
const allBlocksOf = (more: Partial<ReceiptBody>): PdfBlock[] => {
  const document = { receipt: { ...receipt, ...more }, events: [], keys: [] };
  return receiptDocument({ document, text: '{}' } as unknown as Parameters<typeof receiptDocument>[0]).blocks(texts);
};
const about = (more: [string, string][], state: string): PdfBlock => ({
  is: 'pairs',
  rows: [
    ['organisation', 'Org'],
    ['service', 'https://s'],
    ['reference', 'm1'],
    ['madeAt', 'at t0'],
    ['owner', 'Ann, ann@x'],
    ...more,
    ['state', `state.${state}`],
  ],
});
const life: [string, string][] = [
  ['created', 'at t1'],
  ['expires', '2026-12-01'],
];
const from: [string, string] = ['from', 'desk@x'];
const table = (columns: [string, number][], rows: string[][]): PdfBlock => ({
  is: 'table',
  columns: columns.map(([label, share]) => (label === 'bytes' ? { label, share, isNumber: true } : { label, share })),
  rows,
});
const heading = (text: string): PdfBlock => ({ is: 'heading', text });
const filesTable = (rows: string[][]): PdfBlock[] => [
  heading('files'),
  table(
    [
      ['file', 4],
      ['bytes', 2],
      ['sha256', 5],
      ['keyDestroyed', 3],
    ],
    rows,
  ),
];

describe('a receipt as PDF', () => {
  test('of a message has people, files and each download, and counts those left out', () => {
    const downloads = [
      download,
      { ...download, to: '', at: 't3', bytes: 9, whole: true },
      { ...download, by_owner: true, to: '', file: 'f2' },
      { ...download, file: 'f3' },
    ];
    const files = [file, { ...file, id: 'f2', name: null, deleted_at: 't9' }];
    assert.deepEqual(blocksOf({ files, downloads, more_downloads: 1, pending_events: [4] }), [
      about([from, ['to', 'ben@y, cleo@y'], ...life], 'active'),
      ...filesTable([
        ['plan.txt', '9 B', 'aa', 'kept'],
        ['f2', '9 B', 'aa', 'at t9'],
      ]),
      heading('downloads'),
      table(
        [
          ['when', 4],
          ['endedAt', 4],
          ['who', 4],
          ['file', 4],
          ['bytes', 3],
          ['network', 3],
        ],
        [
          ['at t2', 'stillRunning', 'ben@y', 'plan.txt', '5 B', '::1'],
          ['at t3', 'stillRunning', 'unknown', 'plan.txt', '9 B (whole)', '::1'],
          ['at t2', 'stillRunning', 'ownerThemselves', 'f2', '5 B', '::1'],
          ['at t2', 'stillRunning', 'ben@y', 'f3', '5 B', '::1'],
        ],
      ),
      { is: 'small', text: 'moreDownloads {"n":1}' },
      { is: 'small', text: 'pending {"n":1}' },
    ]);
  });

  test('says that there were no downloads, and names only existing people', () => {
    const owner = { id: 'ann', name: '', email: 'ann@x' };
    const [pairs, , , ...rest] = blocksOf({ to: receipt.to.slice(0, 1), owner });
    assert.deepEqual((pairs as { rows: string[][] }).rows.slice(4, 7), [['owner', 'ann@x'], from, ['to', 'ben@y']]);
    assert.deepEqual(rest, [heading('downloads'), { is: 'text', text: 'noDownloads' }]);
    assert.deepEqual(blocksOf({ to: [] })[0], about([from, ...life], 'active'));
    const downloads = [download];
    assert.equal(blocksOf({ downloads }).length, 5, 'one download is a table, with nothing behind it');
  });

  test('of a request has its answers, and of a deletion only the files', () => {
    const answer = { id: 'a1', from: 'sam@z', confirmed: true, at: 't5', size: 7, event: null };
    assert.deepEqual(blocksOf({ kind: 'request', answers: [answer], downloads: [download] }).slice(3), [
      heading('answers'),
      table(
        [
          ['when', 3],
          ['from', 4],
          ['bytes', 2],
          ['reference', 3],
        ],
        [['at t5', 'sam@z', '7 B', 'a1']],
      ),
    ]);
    assert.deepEqual(blocksOf({ kind: 'deletion', state: 'deleted', files: [file], downloads: [download] }), [
      about([], 'deleted'),
      ...filesTable([['plan.txt', '9 B', 'aa', 'kept']]),
    ]);
  });
});

describe('what a document proves', () => {
  const textsOf = (blocks: PdfBlock[]) => blocks.flatMap((block) => ('text' in block ? [block.text] : []));
  const checkpoint = { size: 9, last_event: 9, sealed_at: 't6', witnesses: [] };
  const witnessed = { ...checkpoint, size: 12, witnesses: [{ name: 'w', at: 't7' }] };

  test('is said with the checkpoints and their witnesses, and what a number means', () => {
    const blocks = allBlocksOf({ downloads: [download], checkpoints: [checkpoint, witnessed] }).slice(5);
    assert.deepEqual(textsOf(blocks), [
      'bytesMeaning',
      'times',
      'sealedHeading',
      'notProven',
      'notProvenFacts',
      'notProvenWitness',
    ]);
    assert.deepEqual((blocks.find((block) => block.is === 'table') as { rows: string[][] }).rows, [
      ['9 B', 'at t6', 'noWitness'],
      ['12 B', 'at t6', 'w, at t7'],
    ]);
    assert.ok(!textsOf(allBlocksOf({ checkpoints: [witnessed] })).includes('notProvenWitness'));
    assert.ok(textsOf(allBlocksOf({})).includes('notSealed'));
  });

  test('of a deletion is the commitment to the key, and not what happened to copies', () => {
    const deleted = { ...file, deleted_at: 't9', deleted_key: 'kk', backups_until: null };
    const said = (more: object) =>
      textsOf(allBlocksOf({ kind: 'deletion', state: 'deleted', files: [{ ...deleted, ...more }] }));
    assert.ok(said({}).includes('deletionRecorded {"file":"plan.txt","at":"at t9","key":"kk"}'));
    assert.ok(said({}).includes('notProvenDeletion') && said({}).includes('backupsUnknown'));
    assert.ok(said({ backups_until: 't10' }).includes('backupsUntil {"at":"at t10"}'));
  });

  test('of a request is its end, its bytes as far as they are certain, and what it was proven by', () => {
    const request = {
      request: 1,
      ip: '::2',
      api_key: 'k1',
      proof_kind: 'api_key',
      proof_id: 'k1',
      from: 0,
      to: 5,
      taken: 5,
      bytes: 5,
      at_most: null,
      at: 't2',
      ended_at: null,
      outcome: 'running',
    } as const;
    const crashed = {
      ...request,
      ended_at: 't3',
      outcome: 'crashed',
      at_most: 9,
      api_key: '',
      proof_kind: '',
      proof_id: '',
    } as const;
    const requests = [request, crashed, { ...request, outcome: 'complete' as const, ended_at: 't3' }];
    const blocks = blocksOf({ files: [file], downloads: [{ ...download, requests }] });
    assert.deepEqual((blocks.at(-1) as { rows: string[][] }).rows, [
      ['at t2', 'stillRunning', 'plan.txt', 'soFar {"bytes":"5 B"}', '::2', 'api_key k1'],
      ['at t2', 'at t3', 'plan.txt', 'between {"bytes":"5 B","most":"9 B"}', '::2', ''],
      ['at t2', 'at t3', 'plan.txt', '5 B', '::2', 'api_key k1'],
    ]);
  });
});

test('numbers follow the language, instants have one form, and a missing one is a dash', () => {
  const english = textsFor({ locale: 'en' });
  assert.equal(english.instant(null), '–');
  for (const texts of [english, textsFor({ locale: 'de' })])
    assert.equal(texts.instant('2026-11-16T09:00:00.123Z'), '2026-11-16 09:00:00 UTC');
  assert.equal(english.bytes(1_234_567), '1,234,567');
});
