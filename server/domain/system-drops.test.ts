import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defaultPolicy } from './policy.ts';
import { assertTypesLeft, type DropSettings, maxReceivers, newDrop, policyAt, resolveDrop } from './system-drops.ts';

const good: DropSettings = { ...newDrop, name: 'accounts-payable', title: 'Accounts payable' };
const refused = (given: Partial<DropSettings>, code: string) =>
  assert.throws(() => resolveDrop(good, given), { code }, JSON.stringify(given).slice(0, 60));

describe('a drop page of a function', () => {
  test('has an address of 2 to 60 letters, digits and single dashes', () => {
    for (const name of ['ab', 'a1', '1-a', 'a'.repeat(60)]) assert.equal(resolveDrop(good, { name }).name, name);
    assert.equal(resolveDrop(good, { name: ' Accounts-Payable ' }).name, 'accounts-payable');
    for (const name of ['', 'a', 'a'.repeat(61), '-a', 'a-', 'a--b', 'a_b', 'a@example.com', 'é1'])
      refused({ name }, 'filedrop.bad_name');
  });

  test('has a title of 1 to 100 characters in one line, and a text of at most 2,000', () => {
    assert.equal(resolveDrop(good, { title: ` ${'t'.repeat(100)} ` }).title.length, 100);
    for (const title of ['', ' ', 't'.repeat(101), 'two\nlines', 'a\u007f']) refused({ title }, 'filedrop.bad_title');
    assert.equal(resolveDrop(good, { intro: `${'i'.repeat(2000)}\r\n` }).intro.length, 2000);
    assert.equal(resolveDrop(good, { intro: 'two\r\nlines\rthree' }).intro, 'two\nlines\nthree');
    for (const intro of ['i'.repeat(2001), 'a\tb', 'a\u0007']) refused({ intro }, 'filedrop.bad_intro');
  });

  test('takes whole megabytes from 1 to ten million, or what the group does; and types with commas', () => {
    for (const maxSize of [null, 1, 10_000_000]) assert.equal(resolveDrop(good, { maxSize }).maxSize, maxSize);
    for (const maxSize of [0, -1, 1.5, 10_000_001, Number.NaN]) refused({ maxSize }, 'filedrop.bad_size');
    assert.equal(resolveDrop(good, { permittedExtensions: 'pdf,docx' }).permittedExtensions, 'pdf,docx');
    refused({ permittedExtensions: 'p/df' }, 'filedrop.bad_types');
    assert.equal(maxReceivers, 50);
  });

  test('keeps what was not given', () => {
    assert.deepEqual(resolveDrop(good, {}), good);
    assert.deepEqual(resolveDrop(good, { isOpen: false }), { ...good, isOpen: false });
  });

  test('has the stricter of its own rules and those of the owner of the files', () => {
    const holders = {
      ...defaultPolicy(true),
      filedrop_max_size: 10,
      permitted_extensions: 'pdf,txt',
      filedrop_confirm_sender: true,
    };
    const at = (drop: Partial<DropSettings>) => policyAt({ ...good, ...drop }, holders);
    assert.deepEqual(
      [at({}).filedrop_max_size, at({ maxSize: 9 }).filedrop_max_size, at({ maxSize: 11 }).filedrop_max_size],
      [10, 9, 10],
    );
    assert.equal(at({ confirmsSender: false }).filedrop_confirm_sender, false);
    assert.equal(at({}).permitted_extensions, 'pdf,txt');
    assert.equal(at({ permittedExtensions: 'pdf,exe' }).permitted_extensions, 'pdf');
    assert.equal(at({ permittedExtensions: 'exe' }).permitted_extensions, ' ', 'no file has this type');
    assertTypesLeft(good, holders);
    assertTypesLeft({ ...good, permittedExtensions: 'pdf,exe' }, holders);
    assert.throws(() => assertTypesLeft({ ...good, permittedExtensions: 'exe' }, holders), {
      code: 'filedrop.types_not_permitted',
    });
  });
});
