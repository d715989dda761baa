import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalid, Problem } from '../domain/problem.ts';
import { openRules, type Rule } from './rules.ts';

const rule = { code: 'message.too_large', source: 'group' } as unknown as Rule;

test('an error in the program is not a verdict', async () => {
  const rules = openRules();
  const fault = () => {
    throw new TypeError('a fault');
  };
  await assert.rejects(rules.check(rule, fault), TypeError);
  await assert.rejects(
    rules.check(rule, async () => fault()),
    TypeError,
  );
  assert.deepEqual(rules.verdicts(), []);
  assert.equal(rules.require('the values'), 'the values');
});

test('the first refusal is thrown, and a disabled account is refused a dry run too', async () => {
  const refusals = [invalid('message.first', 'No.'), invalid('message.second', 'No.')];
  const rules = openRules();
  assert.equal(await rules.check(rule, () => 7), 7);
  for (const refusal of refusals)
    assert.equal(
      await rules.check(rule, () => {
        throw refusal;
      }),
      undefined,
    );
  assert.throws(() => rules.require({}), refusals[0]);
  assert.deepEqual(
    rules.verdicts().map(({ code, isAllowed }) => [code, isAllowed]),
    [
      ['message.too_large', true],
      ['message.first', false],
      ['message.second', false],
    ],
  );
  const off = new Problem('unauthenticated', 'credentials.invalid', 'No.');
  await rules.check(rule, () => Promise.reject(off));
  assert.throws(() => rules.verdicts(), off);
});
