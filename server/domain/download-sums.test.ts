import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addCell,
  emptyDaySums,
  encodeDaySums,
  mostFirst,
  personNumber,
  quarterMs,
  type Sum,
  visitDaySums,
} from './download-sums.ts';

const cell = { quarter: 3, downloads: 2, bytes: 50, located: 1, latitude: 57, longitude: 12 };

test('encoded sums are decoded again, with sums joined by quarter, part and place', () => {
  const sums = emptyDaySums();
  addCell(sums, 'a', { ...cell, countryCode: 'SE', platform: 'mobile' });
  addCell(sums, 'b', { ...cell, countryCode: 'SE', platform: 'mobile' });
  addCell(sums, 'b', { ...cell, quarter: 95, countryCode: '', platform: '' });
  for (const number of [0, 4_294_967_295, 7]) sums.people.add(number);
  const taken = {
    quarters: new Map<number, Sum>(),
    parts: new Map<string, Sum>(),
    places: [] as unknown[],
    people: [] as number[],
  };
  visitDaySums(encodeDaySums(sums), {
    quarter: (quarter, sum) => void taken.quarters.set(quarter, sum),
    part: (part, sum) => void taken.parts.set(part, sum),
    place: (place) => void taken.places.push(place),
    person: (number) => void taken.people.push(number),
  });
  assert.deepEqual(taken, {
    quarters: new Map([
      [3, { downloads: 4, bytes: 100 }],
      [95, { downloads: 2, bytes: 50 }],
    ]),
    parts: new Map([
      ['a', { downloads: 2, bytes: 50 }],
      ['b', { downloads: 4, bytes: 100 }],
    ]),
    places: [
      { countryCode: 'SE', platform: 'mobile', downloads: 4, located: 2, latitude: 114, longitude: 24 },
      { countryCode: '', platform: '', downloads: 2, located: 1, latitude: 57, longitude: 12 },
    ],
    people: [0, 4_294_967_295, 7],
  });
});

test('those with most come first, and of those with as many the first by name', () => {
  const sums = new Map([
    ['c', { downloads: 1 }],
    ['b', { downloads: 2 }],
    ['a', { downloads: 1 }],
    ['d', { downloads: 3 }],
  ]);
  assert.deepEqual(
    mostFirst(sums).map(([key]) => key),
    ['d', 'b', 'a', 'c'],
  );
  assert.equal(quarterMs, 900_000);
});

test('an address has always the same number, and another one another', () => {
  assert.equal(personNumber('ben@harbour.example'), personNumber('ben@harbour.example'));
  assert.notEqual(personNumber('ben@harbour.example'), personNumber('cleo@harbour.example'));
});
