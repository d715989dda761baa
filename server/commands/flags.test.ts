import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFlags } from './flags.ts';

const known = { values: ['--to', '--from'], switches: ['--yes'] };
const read = (...args: string[]) => {
  const flags = readFlags(args, known);
  return flags === null ? null : [Object.fromEntries(flags.values), [...flags.switches]];
};

test('flags are read in any order, those with a value and those without', () => {
  assert.deepEqual(read(), [{}, []]);
  assert.deepEqual(read('--yes', '--to', 'a'), [{ '--to': 'a' }, ['--yes']]);
  assert.deepEqual(read('--to', 'a', '--from', '--yes'), [{ '--to': 'a', '--from': '--yes' }, []]);
});

test('unknown and repeated flags, and flags without a value, are refused', () => {
  for (const args of [['--no'], ['a'], ['--to'], ['--to', ''], ['--to', 'a', '--to', 'b'], ['--yes', '--yes']])
    assert.equal(read(...args), null, args.join(' '));
  assert.equal(readFlags(['--yes'], {}), null);
  assert.equal(readFlags(['--to', 'a'], {}), null);
});
