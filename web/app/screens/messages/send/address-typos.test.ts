import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { typoOf } from './address-typos.ts';

describe('typing errors in the domain of an address', () => {
  const known = ['harbour.example', 'northlight.example'];

  it('ignores known domains, domains far from all known ones, and invalid addresses', () => {
    for (const address of ['ben@harbour.example', 'ben@HARBOUR.example', 'ben@rival.example', 'ben@gmail.com', 'ben'])
      assert.equal(typoOf(address, known), null, address);
  });

  it('ignores short domains that differ in more than a letter', () => {
    assert.equal(typoOf('a@ab.de', known), null);
    assert.equal(typoOf('a@wb.ed', known), null);
  });

  for (const [typed, meant] of [
    ['ben@harbour.exmaple', 'ben@harbour.example'],
    ['ben@harbor.example', 'ben@harbour.example'],
    ['Ben.O@nortlight.example', 'Ben.O@northlight.example'],
    ['dana@gmial.com', 'dana@gmail.com'],
    ['dana@hotmial.con', 'dana@hotmail.com'],
  ] as const)
    it(`suggests ${meant} for ${typed}`, () => assert.equal(typoOf(typed, known), meant));
});
