import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addRecipients, isAddress, isFinishedAddress, readRecipients } from './recipients.ts';

const ben = { address: 'ben@harbour.example', name: '' };
const dana = { address: 'dana@rossi.example', name: '' };

describe('reading recipients', () => {
  const cases: [string, string, object[]][] = [
    ['nothing', '  ,; \n', []],
    ['one address', ' ben@harbour.example ', [ben]],
    ['a list with commas, semicolons and lines', 'ben@harbour.example, dana@rossi.example;\n', [ben, dana]],
    ['addresses with spaces between', 'ben@harbour.example dana@rossi.example', [ben, dana]],
    ['a name in front', 'Ben Okafor <ben@harbour.example>', [{ ...ben, name: 'Ben Okafor' }]],
    ['a comma in a quoted name', '"Okafor, Ben" <ben@harbour.example>', [{ ...ben, name: 'Okafor, Ben' }]],
    ['an address copied with its scheme', 'mailto:ben@harbour.example', [ben]],
    ['a slip, kept as it is', 'Ben Okafor', [{ address: 'Ben Okafor', name: '' }]],
  ];
  for (const [title, text, expected] of cases) it(title, () => assert.deepEqual(readRecipients(text), expected));
});

describe('addresses', () => {
  it('need something on both sides of one @', () => {
    for (const text of ['ben', '@harbour.example', 'ben@', 'a@b@c.example', 'a b@c.example'])
      assert.equal(isAddress(text), false, text);
    for (const text of ['ben@harbour.example', 'ben@localhost', "o'neil+x@ex.example"])
      assert.equal(isAddress(text), true, text);
  });

  it('are finished by a space only when their domain is', () => {
    assert.equal(isFinishedAddress('ben@harbour'), false);
    assert.equal(isFinishedAddress('ben@harbour.example'), true);
  });

  it('are added once, whatever their case', () => {
    assert.deepEqual(addRecipients([ben], [{ address: 'BEN@harbour.example', name: '' }, dana]), [ben, dana]);
  });
});
