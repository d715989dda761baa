import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isExpired, isPersonal, markOf } from './shared-browser.ts';

test('finds the mark among other cookies and accepts nothing else', () => {
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

test('a confirmation expires at its instant; the mark of a sign-in does not expire', () => {
  assert.equal(isExpired('__Host-shared=1000', 999), false);
  assert.equal(isExpired('__Host-shared=1000', 1000), true);
  assert.equal(isExpired('__Host-shared=yes', Number.MAX_SAFE_INTEGER), false);
  assert.equal(isExpired('', 1000), false);
});

test("selects drafts, saved uploads and table views of every user, not the colour scheme or other programs' keys", () => {
  const personal = [
    'waybill:7:draft:send',
    'waybill:8:table:sent',
    'waybill:upload:/requests/x',
    'waybill:draft:/filedrop/y',
    'waybill:7:once',
  ];
  assert.deepEqual([...personal, 'waybill:scheme', 'other', 'xwaybill:1'].filter(isPersonal), personal);
});
