import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  anyOf,
  dayOf,
  days,
  daysAhead,
  duration,
  hours,
  languageName,
  longDate,
  minutes,
  shortDateTime,
  timeOfDay,
  zoneName,
} from './formats.ts';

it('writes a date with weekday, day, month and year in every time zone of the machine', () => {
  assert.equal(longDate('en', '2026-11-30'), 'Monday 30 November 2026');
  assert.equal(longDate('sv', '2026-11-30'), 'måndag 30 november 2026');
  assert.match(longDate('de', '2026-11-30'), /^Montag, 30\. November 2026$/);
});

it('writes days ahead in words', () => {
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

it('names languages in their own words', () => {
  assert.equal(languageName('sv'), 'Svenska');
  assert.equal(languageName('en'), 'English');
});

it('writes an instant in the zone it is given, not in that of the machine', () => {
  const instant = '2026-11-12T23:30:00.000Z';
  assert.equal(shortDateTime('en', 'Europe/Stockholm', instant), '13 Nov, 00:30');
  assert.equal(shortDateTime('en', 'UTC', instant), '12 Nov, 23:30');
  assert.equal(timeOfDay('en', 'Europe/Stockholm', instant), '00:30');
  assert.deepEqual([dayOf('UTC', instant), dayOf('Europe/Stockholm', instant)], ['2026-11-12', '2026-11-13']);
});

it('writes long durations in hours, then in days', () => {
  assert.deepEqual(
    [1, 12, 48, 720].map((count) => hours('en', count)),
    ['1 hour', '12 hours', '2 days', '30 days'],
  );
});

it('joins alternatives as the language does', () => {
  assert.equal(anyOf('en', ['.pdf', '.docx', '.zip']), '.pdf, .docx or .zip');
});
