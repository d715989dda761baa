import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Statement } from '../../domain/statements.ts';
import type { PdfBlock } from '../../lib/pdf.ts';
import { statementDocument } from './statements.ts';
import type { PdfTexts } from './texts.ts';

const texts: PdfTexts = {
  text: (key, values) => (values === undefined ? key : `${key} ${JSON.stringify(values)}`),
  instant: (iso) => (iso === null ? '–' : `at ${iso}`),
  bytes: (count) => `${count} B`,
};

const heading = (text: string): PdfBlock => ({ is: 'heading', text });
const table = (columns: [string, number][], rows: string[][]): PdfBlock => ({
  is: 'table',
  columns: columns.map(([label, share]) => (label === 'bytes' ? { label, share, isNumber: true } : { label, share })),
  rows,
});

/** Before what every document says about its numbers, times and proofs. */
const ownBlocks = (blocks: PdfBlock[]): PdfBlock[] =>
  blocks.slice(
    0,
    blocks.findIndex((block) => block.is === 'small' && /^(bytesMeaning|times)$/.test(block.text)),
  );

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
  const statement = { documentText: JSON.stringify(document), note: '' } as Statement;
  return ownBlocks(statementDocument(statement, new Map([['f1', 'plan.txt']])).blocks(texts));
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
  const left = {
    attachment: 'f1',
    ended_at: null,
    at: 't4',
    to: 'ben@y',
    by_owner: false,
    ip: '::1',
    bytes: 5,
    sha256: 'aa',
  };
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
          ['endedAt', 4],
          ['who', 4],
          ['file', 4],
          ['network', 3],
          ['bytes', 3],
          ['sha256', 5],
        ],
        ['ben@y', 'unknown', 'ownerThemselves'].map((who) => [
          'at t4',
          'stillRunning',
          who,
          'plan.txt',
          '::1',
          '5 B',
          'aa',
        ]),
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
