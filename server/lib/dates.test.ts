import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addDays,
  dateOf,
  datesFrom,
  dayFinder,
  daysBetween,
  endOfDay,
  formatDate,
  isoInstant,
  parseDate,
  parseDateOrInstant,
  startOfDay,
  zoneStretches,
} from './dates.ts';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'America/Santiago',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Kiritimati',
];

const instants = fc.integer({ min: 86_400_000 * 2, max: Date.UTC(2200, 0, 1) });

test('texts that are no real day are no date', () => {
  const wrong = ['', '2024-02-30', '2023-02-29', '1900-01-01', '1969-12-31', '2024-13-01', '2024-00-10', '2024-01-00'];
  for (const text of [
    ...wrong,
    '2024-1-1',
    ' 2024-01-01',
    '2024-01-01\n',
    '20240101',
    '10000-01-01',
    '２０２４-01-01',
  ]) {
    assert.equal(parseDate(text), null, JSON.stringify(text));
  }
});

test('a real day is read and written back', () => {
  assert.deepEqual(parseDate('2024-02-29'), { year: 2024, month: 2, day: 29 });
  assert.deepEqual(parseDate('9999-12-31'), { year: 9999, month: 12, day: 31 });
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date(Date.UTC(9999, 11, 31)), noInvalidDate: true }), (date) => {
      const text = date.toISOString().slice(0, 10);
      assert.equal(formatDate(parseDate(text)!), text);
    }),
  );
});

test('an unknown zone or a wrong date is a RangeError', () => {
  assert.throws(() => endOfDay('2024-01-01', 'Mars/Olympus'), RangeError);
  assert.throws(() => endOfDay('2024-02-30', 'UTC'), RangeError);
  assert.throws(() => addDays('yesterday', 1), RangeError);
});

test('a day ends with its first instant that is no longer that day', () => {
  const table: [string, string, string][] = [
    ['2026-11-30', 'UTC', '2026-12-01T00:00:00.000Z'],
    ['2026-11-30', 'Europe/Berlin', '2026-11-30T23:00:00.000Z'],
    ['2026-07-01', 'Europe/Berlin', '2026-07-01T22:00:00.000Z'],
    // The days of the clock change have 23 and 25 hours.
    ['2026-03-29', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
    ['2026-10-25', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
    // Midnight did not exist here: the day began at 01:00.
    ['2018-11-03', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
    // 30 December 2011 did not exist here.
    ['2011-12-29', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    ['2026-01-01', 'Pacific/Kiritimati', '2026-01-01T10:00:00.000Z'],
    ['9999-12-31', 'America/New_York', '+010000-01-01T05:00:00.000Z'],
    ['1970-01-01', 'Asia/Kathmandu', '1970-01-01T18:30:00.000Z'],
  ];
  for (const [date, zone, end] of table) assert.equal(isoInstant(endOfDay(date, zone)), end, `${date} ${zone}`);
});

test('every instant lies inside the day it is said to fall on', () => {
  fc.assert(
    fc.property(instants, fc.constantFrom(...ZONES), (instant, zone) => {
      const date = dateOf(instant, zone);
      assert.ok(startOfDay(date, zone) <= instant);
      assert.ok(instant < endOfDay(date, zone));
      assert.equal(dateOf(endOfDay(date, zone) - 1, zone), date);
    }),
    { numRuns: 60 },
  );
});

test('adding days follows the calendar', () => {
  assert.equal(addDays('2024-02-28', 1), '2024-02-29');
  assert.equal(addDays('2024-12-31', 1), '2025-01-01');
  assert.equal(addDays('2024-03-01', -1), '2024-02-29');
  assert.equal(addDays('2026-01-01', 365), '2027-01-01');
  assert.equal(addDays('9999-12-31', 1), '9999-12-31');
  assert.equal(addDays('1970-01-01', -29), '1970-01-01');
  assert.equal(addDays('2026-01-01', 1e300), '9999-12-31');
});

test('bounds that are no date and no instant are refused', () => {
  const wrong = ['', 'yesterday', '20240230', '2024-01-01T10:00', '2024-01-01 10:00:00', '2024-01-01T24:00:00Z'];
  for (const text of [
    ...wrong,
    '2024-01-01T10:60Z',
    '2024-01-01T10:00:60Z',
    '2024-01-01T10:00+24:00',
    '2024-01-01T10:00+00:60',
    '2024-02-30T10:00:00Z',
    '1704067200',
  ]) {
    assert.equal(parseDateOrInstant(text), null, text);
  }
});

test('bounds are days or whole instants', () => {
  const table: [string, string][] = [
    ['20240229', '2024-02-29T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['1970-01-01', '1970-01-01T00:00:00.000Z'],
    ['2024-02-29T12:30Z', '2024-02-29T12:30:00.000Z'],
    ['2024-02-29T12:30:15.1234567Z', '2024-02-29T12:30:15.123Z'],
    ['2024-02-29T00:30:00+02:00', '2024-02-28T22:30:00.000Z'],
    ['2024-02-29T00:30:00-0130', '2024-02-29T02:00:00.000Z'],
    ['2024-02-29T23:59:59+23:59', '2024-02-29T00:00:59.000Z'],
  ];
  for (const [text, instant] of table) assert.equal(isoInstant(parseDateOrInstant(text)!), instant);
  assert.equal(isoInstant(parseDateOrInstant('2024-02-29', 'Europe/Berlin')!), '2024-02-28T23:00:00.000Z');
});

test('what isoInstant writes is read back exactly', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 0, 1) }), (instant) => {
      assert.equal(parseDateOrInstant(isoInstant(instant)), instant);
    }),
  );
});

test('a time is divided where the clocks of the zone change, and ends where it is said to', () => {
  const hourMs = 3_600_000;
  const at = (text: string) => Date.parse(text);
  const stretches = (from: string, to: string, zone = 'Europe/Stockholm') => [...zoneStretches(zone, at(from), at(to))];
  const [spring, autumn] = [at('2026-03-29T01:00:00Z'), at('2026-10-25T01:00:00Z')];
  assert.deepEqual(stretches('2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'), [
    { from: at('2026-01-01T00:00:00Z'), to: spring, offsetMs: hourMs },
    { from: spring, to: autumn, offsetMs: 2 * hourMs },
    { from: autumn, to: at('2027-01-01T00:00:00Z'), offsetMs: hourMs },
  ]);
  assert.deepEqual(
    stretches('2026-03-28T00:00:00Z', '2026-03-30T00:00:00Z').map(({ to }) => to),
    [spring, at('2026-03-30T00:00:00Z')],
  );
  assert.equal(stretches('2026-03-29T01:00:00Z', '2026-03-30T00:00:00Z').length, 1);
  assert.equal(stretches('2026-03-28T00:00:00Z', '2026-03-29T01:00:00Z').length, 1);
  assert.equal(stretches('2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z', 'UTC').length, 1);
  assert.deepEqual(stretches('2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'), []);
  assert.equal(stretches('2026-01-01T00:00:01.500Z', '2026-01-02T00:00:00Z')[0]!.offsetMs, hourMs);
});

test('the day of an instant is the one that clocks of the zone show, also around the hours when they change', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      instants,
      fc.integer({ min: 0, max: 400 * 86_400_000 }),
      (zone, from, later) => {
        const dayOf = dayFinder(zone, from, from + 401 * 86_400_000);
        assert.equal(new Date(dayOf(from + later) * 86_400_000).toISOString().slice(0, 10), dateOf(from + later, zone));
      },
    ),
    { numRuns: 50 },
  );
});

test('days are counted and listed up to the last that can be written', () => {
  assert.equal(daysBetween('2024-02-28', '2024-03-01'), 2);
  assert.deepEqual([...datesFrom('2024-02-28', '2024-03-01')], ['2024-02-28', '2024-02-29', '2024-03-01']);
  assert.deepEqual([...datesFrom('9999-12-30', '9999-12-31')], ['9999-12-30', '9999-12-31']);
  assert.deepEqual([...datesFrom('2024-03-02', '2024-03-01')], []);
});
