import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readPeople } from './csv.ts';

const people = (text: string) => {
  const read = readPeople(text);
  assert.ok('people' in read, JSON.stringify(read));
  return read.people.map(({ line, email, name, group }) => [line, email, name, group]);
};

describe('a CSV file of people', () => {
  it('is read with or without column names, in any order, and keeps line numbers', () => {
    assert.deepEqual(people('ann@x.example,Ann\nben@x.example,Ben,Sales\n'), [
      [1, 'ann@x.example', 'Ann', ''],
      [2, 'ben@x.example', 'Ben', 'Sales'],
    ]);
    assert.deepEqual(people('Group;Name;E-mail\r\n\r\nSales;Ann;ann@x.example\r\n'), [
      [3, 'ann@x.example', 'Ann', 'Sales'],
    ]);
    assert.deepEqual(people('\uFEFFE-Mail\tName\nann@x.example\tÅsa'), [[2, 'ann@x.example', 'Åsa', '']]);
  });

  it('may contain quotes, separators and line breaks inside quotes', () => {
    assert.deepEqual(people('ann@x.example,"Smith, ""Ann"""\n"ben@x.example","Ben\nBrown"\neve@x.example,Eve'), [
      [1, 'ann@x.example', 'Smith, "Ann"', ''],
      [2, 'ben@x.example', 'Ben\nBrown', ''],
      [4, 'eve@x.example', 'Eve', ''],
    ]);
  });

  it('keeps invalid lines, so that they can be listed', () => {
    assert.deepEqual(people('ann@x.example\nnot an address')[1], [2, 'not an address', '', '']);
  });

  it('reports what cannot be read at all', () => {
    assert.deepEqual(readPeople('ann@x.example\n"ben'), { fault: 'no-end-of-quote', line: 2 });
    assert.deepEqual(readPeople('just words'), { fault: 'no-addresses', line: 1 });
    assert.deepEqual(readPeople(''), { fault: 'no-addresses', line: 1 });
  });
});
