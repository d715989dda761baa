import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReceiptBody } from '../../domain/receipts.ts';
import type { Statement } from '../../domain/statements.ts';
import type { PdfBlock } from '../../lib/pdf.ts';
import { receiptDocument } from './receipts.ts';
import { statementDocument } from './statements.ts';
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

const blocksOf = (more: Partial<ReceiptBody>): PdfBlock[] => {
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
          ['who', 4],
          ['file', 4],
          ['bytes', 3],
          ['network', 3],
        ],
        [
          ['at t2', 'ben@y', 'plan.txt', '5 B', '::1'],
          ['at t3', 'unknown', 'plan.txt', '9 B (whole)', '::1'],
          ['at t2', 'ownerThemselves', 'f2', '5 B', '::1'],
          ['at t2', 'ben@y', 'f3', '5 B', '::1'],
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

const statementBlocks = (more: Record<string, unknown>): PdfBlock[] => {
  const document = {
    id: 's1',
    kind: 'leave',
    organisation: 'Org',
    service: 'https://s',
    made_at: 't0',
    made_by: { name: '', email: 'root@x' },
    about: { user: { name: 'Ann', email: 'ann@x' } },
    ...more,
  };
  return statementDocument({ documentText: JSON.stringify(document), note: '' } as Statement).blocks(texts);
};
const subjectIn = (blocks: PdfBlock[]) => (blocks[0] as { rows: [string, string][] }).rows.at(-1);

describe('a statement as PDF', () => {
  const none = { messages: 0, links: 0, requests: 0, deliveries: 0, bytes: 0, transfers: [] };
  const findings = {
    hand_over_to: null,
    reason: 'Last day',
    ended: { sessions: 2, totp: true, password: false },
    handed_over: none,
    stopped: { ...none, links: 1, bytes: 8, transfers: [{ id: 'l1', size: 8 }] },
    kept_deliveries: 3,
  };
  const counts = (links: number, size: number): PdfBlock => ({
    is: 'pairs',
    rows: [
      ['messages', '0 B'],
      ['links', `${links} B`],
      ['requests', '0 B'],
      ['deliveries', '0 B'],
      ['bytes', `${size} B`],
    ],
  });

  test('about a leaver says what ended, what was handed over and what was stopped', () => {
    const blocks = statementBlocks({ findings });
    assert.deepEqual(subjectIn(blocks), ['about', 'Ann, ann@x']);
    assert.deepEqual(blocks.slice(1), [
      {
        is: 'pairs',
        rows: [
          ['handOverTo', 'nobody'],
          ['reason', 'Last day'],
        ],
      },
      heading('ended'),
      {
        is: 'pairs',
        rows: [
          ['ended.sessions', '2 B'],
          ['ended.totp', 'yes'],
          ['ended.password', 'no'],
        ],
      },
      heading('handedOver'),
      counts(0, 0),
      heading('stopped'),
      counts(1, 8),
      table(
        [
          ['reference', 3],
          ['bytes', 2],
        ],
        [['l1', '8 B']],
      ),
      { is: 'pairs', rows: [['keptDeliveries', '3 B']] },
    ]);
    const [, first] = statementBlocks({ findings: { ...findings, hand_over_to: { name: 'Bo', email: 'bo@x' } } });
    assert.deepEqual((first as { rows: string[][] }).rows[0], ['handOverTo', 'Bo, bo@x']);
  });

  const span = { from: 't1', to: 't2' };
  const reach = { id: 'l1', from: 't3', until: null, size: 4, open_now: true };
  const left = { at: 't4', to: 'ben@y', by_owner: false, ip: '::1', bytes: 5, sha256: 'aa' };
  const exposure = {
    ...span,
    reachable: { transfers: 1, files: 2, bytes: 3, list: [reach, { ...reach, open_now: false }] },
    left: {
      downloads: 4,
      files: 5,
      bytes: 6,
      list: [left, { ...left, to: '' }, { ...left, to: '', by_owner: true }],
    },
    closed: { transfers: 7, open: 8, account: null },
  };

  test('about exposure says what could be opened, what was downloaded and what is closed', () => {
    const blocks = statementBlocks({ kind: 'exposure', about: { ip: '::1' }, findings: exposure });
    assert.deepEqual(subjectIn(blocks), ['about', '::1']);
    const pairs = (...rows: [string, string][]): PdfBlock => ({ is: 'pairs', rows });
    assert.deepEqual(blocks.slice(1), [
      pairs(['span', 'spanFromTo {"from":"at t1","to":"at t2"}']),
      heading('reachable'),
      pairs(['transfers', '1 B'], ['files', '2 B'], ['bytes', '3 B']),
      table(
        [
          ['reference', 4],
          ['from', 4],
          ['until', 4],
          ['bytes', 3],
          ['stillOpen', 2],
        ],
        [
          ['l1', 'at t3', '–', '4 B', 'yes'],
          ['l1', 'at t3', '–', '4 B', 'no'],
        ],
      ),
      heading('left'),
      pairs(['downloads', '4 B'], ['files', '5 B'], ['bytes', '6 B']),
      table(
        [
          ['when', 4],
          ['who', 4],
          ['network', 4],
          ['bytes', 3],
          ['sha256', 5],
        ],
        ['ben@y', 'unknown', 'ownerThemselves'].map((who) => ['at t4', who, '::1', '5 B', 'aa']),
      ),
      heading('closed'),
      pairs(['closed', '7 B'], ['stillOpen', '8 B']),
    ]);
  });

  test('names a closed account, an address, and a key with its owner', () => {
    const closed = { ...exposure.closed, account: { state: 'disabled' } };
    const blocks = statementBlocks({
      kind: 'exposure',
      about: { address: 'ben@y' },
      findings: { ...exposure, closed },
    });
    assert.deepEqual(subjectIn(blocks), ['about', 'ben@y']);
    assert.deepEqual(blocks.at(-1), { is: 'pairs', rows: [['account', 'account.disabled']] });
    const api_key = { prefix: 'abcd', name: 'CI' };
    const about = { user: { name: 'Ann', email: 'ann@x' }, api_key };
    const ofKey = statementBlocks({ kind: 'exposure', about, findings: exposure });
    assert.deepEqual(subjectIn(ofKey), ['about', 'Ann, ann@x, abcd… CI']);
  });
});

test('texts follow the language, and a missing instant is a dash', () => {
  const english = textsFor({ locale: 'en', timeZone: 'UTC' });
  assert.equal(english.instant(null), '–');
  assert.match(english.instant('2026-11-16T09:00:00.000Z'), /2026.*09:00:00 UTC/);
  assert.equal(english.bytes(1_234_567), '1,234,567');
});
