import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OperatorProblem } from '../lib/operator-problem.ts';
import { sentencesFor } from './operator-sentences.ts';
import { StoreUnavailable, Unavailable } from './ports.ts';
import { invalid } from './problem.ts';

const databaseUnreachable = () =>
  Object.assign(new Unavailable('the database is unreachable'), { name: 'DatabaseUnavailable' });
const caused = (error: Error, cause: unknown) => Object.assign(error, { cause });

test('an error with a known cause has sentences, a bug has none', () => {
  assert.deepEqual(sentencesFor(new OperatorProblem('There is no backup.')), ['There is no backup.']);
  assert.deepEqual(sentencesFor(invalid('user.self', 'Ask another administrator.')), ['Ask another administrator.']);
  assert.deepEqual(sentencesFor(new StoreUnavailable('the disk is unreachable')), [
    new StoreUnavailable('the disk is unreachable').message,
  ]);
  assert.equal(sentencesFor(new TypeError('x is not a function')), null);
  assert.equal(sentencesFor('a word'), null);
});

test('the other side’s error and the setting to check follow what is unreachable', () => {
  const away = new Error('getaddrinfo ENOTFOUND db.example');
  const [database] = sentencesFor(caused(databaseUnreachable(), away))!;
  assert.match(
    database!,
    /^The database cannot be reached \(getaddrinfo ENOTFOUND db\.example\)\..*WAYBILL_DATABASE_URL/,
  );
  for (const error of [
    caused(new StoreUnavailable('away'), away),
    caused(databaseUnreachable(), new Error('too many clients')),
  ]) {
    const [sentence] = sentencesFor(error)!;
    assert.equal(sentence, `${error.message} (${(error.cause as Error).message})`);
  }
  const plain = caused(databaseUnreachable(), 'ENOTFOUND');
  assert.deepEqual(sentencesFor(plain), [plain.message]);
});
