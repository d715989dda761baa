import assert from 'node:assert/strict';
import { it } from 'node:test';
import { days, daysAhead, direction, duration, languageName, longDate, minutes, zoneName } from './formats.ts';

it('writes a date with weekday, day, month and year, whatever the zone of the machine', () => {
  assert.equal(longDate('en', '2026-11-30'), 'Monday 30 November 2026');
  assert.equal(longDate('sv', '2026-11-30'), 'måndag 30 november 2026');
  assert.match(longDate('de', '2026-11-30'), /^Montag, 30\. November 2026$/);
});

it('tells days ahead in words', () => {
  assert.deepEqual(
    [0, 1, 15].map((count) => daysAhead('en', count)),
    ['today', 'tomorrow', 'in 15 days'],
  );
});

it('rounds waiting times up and never says zero', () => {
  assert.equal(duration('en', 0), '1 second');
  assert.equal(duration('en', 39.2), '40 seconds');
  assert.equal(duration('en', 121), '3 minutes');
  assert.equal(minutes('en', 0.2), '1 minute');
  assert.equal(days('en', 14), '14 days');
});

it('names the zone in the language of the page', () => {
  assert.equal(zoneName('en', 'Europe/Stockholm', '2026-07-30'), 'Central European Time');
  assert.equal(zoneName('en', 'UTC', '2026-07-30'), 'Coordinated Universal Time');
});

it('names languages in their own words and knows their direction', () => {
  assert.equal(languageName('sv'), 'Svenska');
  assert.equal(languageName('en'), 'English');
  assert.deepEqual(['en', 'ar', 'he', 'fa', 'ja'].map(direction), ['ltr', 'rtl', 'rtl', 'rtl', 'ltr']);
});
