// What counts as a shared browser, and what is removed from one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTimeOver, markOf, personalNames } from './shared-browser.ts';

test('the mark is found among other cookies, and nothing else is taken for one', () => {
  const table: [cookies: string, mark: string | null][] = [
    ['', null],
    ['__Host-shared=yes', 'yes'],
    ['a=b; local-shared=yes; c=d', 'yes'],
    ['a=b;__Host-shared=1763532000000', '1763532000000'],
    ['__Host-shared=', null],
    ['__Host-shared=no', null],
    ['shared=yes', null],
    ['x__Host-shared=yes', null],
    ['__Host-shared=yesterday', null],
    ['a=__Host-shared=yes', null],
  ];
  for (const [cookies, mark] of table) assert.equal(markOf(cookies), mark, cookies);
});

test('the time of a confirmation is over at its instant; the mark of a sign-in has none', () => {
  assert.equal(isTimeOver('__Host-shared=1000', 999), false);
  assert.equal(isTimeOver('__Host-shared=1000', 1000), true);
  assert.equal(isTimeOver('__Host-shared=yes', Number.MAX_SAFE_INTEGER), false);
  assert.equal(isTimeOver('', 1000), false);
});

test('drafts, notes of uploads and views go, whoever they belong to; the colour scheme and other programs stay', () => {
  const personal = [
    'waybill:7:draft:send',
    'waybill:8:table:sent',
    'waybill:upload:/requests/x',
    'waybill:draft:/filedrop/y',
    'waybill:7:once',
  ];
  assert.deepEqual(personalNames([...personal, 'waybill:scheme', 'other', 'xwaybill:1']), personal);
});
