import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addRecipients, isAddress, isFinishedAddress, readRecipients } from './recipients.ts';

const ben = { address: 'ben@harbour.example', name: '' };
const dana = { address: 'dana@rossi.example', name: '' };

describe('parsing recipients', () => {
  const cases: [string, string, object[]][] = [
    ['nothing', '  ,; \n', []],
    ['one address', ' ben@harbour.example ', [ben]],
    ['a list with commas, semicolons and lines', 'ben@harbour.example, dana@rossi.example;\n', [ben, dana]],
    ['addresses with spaces between', 'ben@harbour.example dana@rossi.example', [ben, dana]],
    ['a name in front', 'Ben Okafor <ben@harbour.example>', [{ ...ben, name: 'Ben Okafor' }]],
    ['a comma in a quoted name', '"Okafor, Ben" <ben@harbour.example>', [{ ...ben, name: 'Okafor, Ben' }]],
    ['an address copied with its scheme', 'mailto:ben@harbour.example', [ben]],
    [
      'names of Outlook, surname first',
      'Okafor, Ben <ben@harbour.example>; Rossi, Dana <dana@rossi.example>',
      [
        { ...ben, name: 'Okafor, Ben' },
        { ...dana, name: 'Rossi, Dana' },
      ],
    ],
    [
      'addresses that Outlook quotes',
      "'ben@harbour.example'; 'Dana' <dana@rossi.example>",
      [ben, { ...dana, name: 'Dana' }],
    ],
    [
      'people with nothing between them',
      '<ben@harbour.example> Dana <dana@rossi.example>',
      [ben, { ...dana, name: 'Dana' }],
    ],
    [
      'rows of a spreadsheet, with a name next to the address',
      'Ben Okafor\tben@harbour.example\r\ndana@rossi.example\tDana\r\n',
      [
        { ...ben, name: 'Ben Okafor' },
        { ...dana, name: 'Dana' },
      ],
    ],
    ['rows of a spreadsheet, with more cells', '1\tBen\tben@harbour.example\tHarbour\n', [ben]],
    ['a row of addresses', 'ben@harbour.example\tdana@rossi.example', [ben, dana]],
    ['an address in place of a name', 'ben@harbour.example <mailto:ben@harbour.example>', [ben]],
    ['invisible characters', '\u200bben@harbour.example\u00a0\ufeff', [ben]],
    [
      'one quotation mark',
      'Ben O"Kafor <ben@harbour.example>, dana@rossi.example',
      [{ ...ben, name: 'Ben O"Kafor' }, dana],
    ],
    ['a typing error next to an address', 'Okafor, ben@harbour.example', [{ address: 'Okafor', name: '' }, ben]],
    [
      'an address with a slip in it',
      'ben okafor@harbour.example',
      [{ address: 'ben okafor@harbour.example', name: '' }],
    ],
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

  it('end with a space only when their domain is complete', () => {
    assert.equal(isFinishedAddress('ben@harbour'), false);
    assert.equal(isFinishedAddress('ben@harbour.example'), true);
  });

  it('are added once, ignoring case', () => {
    assert.deepEqual(addRecipients([ben], [{ address: 'BEN@harbour.example', name: '' }, dana]), [ben, dana]);
  });
});
