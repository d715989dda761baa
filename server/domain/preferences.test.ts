import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ReceiptTiming, readTimeZone, receiptDueAt } from './preferences.ts';
import { Problem } from './problem.ts';

describe('when a receipt is sent', () => {
  const now = Date.UTC(2026, 10, 16, 9, 20);
  const cases: [timing: ReceiptTiming, isNews: boolean, zone: string, due: number | null][] = [
    ['off', true, 'UTC', null],
    ['at_once', true, 'UTC', now],
    ['at_once', false, 'UTC', now + 10 * 60_000],
    ['hourly', true, 'UTC', Date.UTC(2026, 10, 16, 10)],
    ['daily', true, 'UTC', Date.UTC(2026, 10, 17, 8)],
    // 18:20 in Tokyo: its next morning is still today in UTC.
    ['daily', false, 'Asia/Tokyo', Date.UTC(2026, 10, 16, 23)],
    // 01:20 in Los Angeles: its morning comes later the same day.
    ['daily', true, 'America/Los_Angeles', Date.UTC(2026, 10, 16, 16)],
  ];
  for (const [timing, isNews, zone, due] of cases) {
    test(`${timing}, ${isNews ? 'the first' : 'a further one'}, in ${zone}`, () => {
      assert.equal(receiptDueAt(timing, now, isNews, zone), due);
    });
  }
});

test('a download at the moment of the morning’s mail is for the next one', () => {
  const morning = Date.UTC(2026, 10, 16, 16);
  const dueAt = (now: number) => receiptDueAt('daily', now, true, 'America/Los_Angeles');
  assert.equal(dueAt(morning - 1), morning);
  assert.equal(dueAt(morning), morning + 24 * 3_600_000);
});

describe('what a person may choose', () => {
  for (const text of ['Europe/Nowhere', '+02:00', '../etc']) {
    test(`"${text}" is no time zone`, () => assert.throws(() => readTimeZone(text), Problem));
  }
  test('a known zone is kept', () => assert.equal(readTimeZone('Europe/Stockholm'), 'Europe/Stockholm'));
  test('blank means no choice', () => assert.equal(readTimeZone(' '), ''));
});
