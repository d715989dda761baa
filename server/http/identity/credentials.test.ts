import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tooMany } from './credentials.ts';

test('a refused caller gets the wait in seconds up to a minute and a half, then in minutes, rounded up', () => {
  const sentence = (seconds: number) => tooMany('a.code', 'Too many.', seconds).message;
  assert.equal(sentence(0.4), 'Too many. Wait 1 second, then try again.');
  assert.equal(sentence(1.2), 'Too many. Wait 2 seconds, then try again.');
  assert.equal(sentence(90), 'Too many. Wait 90 seconds, then try again.');
  assert.equal(sentence(90.5), 'Too many. Wait 2 minutes, then try again.');
  assert.equal(sentence(121), 'Too many. Wait 3 minutes, then try again.');
  assert.equal(tooMany('a.code', 'Too many.', 4.1).retryAfterSeconds, 5);
});
