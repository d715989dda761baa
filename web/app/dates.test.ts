import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addDays, dateText, readDate } from './dates.ts';

describe('parsing a date', () => {
  it('refuses what is not a date', () => {
    for (const text of ['', 'soon', '30', '31 Feb 2026', '2026-13-01', '30.11', '1 2 3 4', 'Nov 2026'])
      assert.equal(readDate('en', text), null, text);
  });

  const cases: [string, string, string][] = [
    ['en', '2026-11-30', '2026-11-30'],
    ['en', '30 Nov 2026', '2026-11-30'],
    ['en', '30 november 26', '2026-11-30'],
    ['en', 'Nov 30, 2026', '2026-11-30'],
    ['en', '30/11/2026', '2026-11-30'],
    ['en-US', '11/30/2026', '2026-11-30'],
    ['de', '30.11.2026', '2026-11-30'],
    ['de', '3. März 2027', '2027-03-03'],
    ['sv', '2026-11-30', '2026-11-30'],
    ['es', '30 de noviembre de 2026', '2026-11-30'],
  ];
  for (const [locale, text, date] of cases) {
    it(`understands ${text} in ${locale}`, () => assert.equal(readDate(locale, text), date));
  }

  it('parses what it formats', () => {
    for (const locale of ['en', 'en-US', 'de', 'fr', 'es', 'sv'])
      for (const date of ['2026-01-05', '2026-03-31', '2026-08-01', '2026-12-24'])
        assert.equal(readDate(locale, dateText(locale, date)), date, `${locale} ${date}`);
  });
});

it('adds days by the calendar', () => assert.equal(addDays('2026-02-27', 3), '2026-03-02'));
