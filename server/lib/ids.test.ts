import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom, isId, seededRandom } from './ids.ts';

test('what is not exactly 22 letters and digits is no id', () => {
  const id = 'a'.repeat(21);
  for (const text of ['', id, `${id}aa`, `${id}-`, `${id}é`, `${id}\n`, `${id}a\n`]) assert.equal(isId(text), false);
  assert.equal(isId(`${id}Z`), true);
});

test('ids have the asked length and differ', () => {
  const random = createRandom();
  const ids = new Set(Array.from({ length: 1000 }, () => random.id()));
  assert.equal(ids.size, 1000);
  for (const id of ids) assert.ok(isId(id));
  assert.match(random.id(44), /^[A-Za-z0-9]{44}$/);
  assert.equal(random.id(0), '');
  assert.equal(random.bytes(32).length, 32);
});

test('returned bytes stay unchanged, and no two nonces or keys are the same', () => {
  const random = createRandom();
  for (const length of [12, 24, 25, 32]) {
    const taken = Array.from({ length: 1000 }, () => random.bytes(length));
    const texts = taken.map((bytes) => bytes.toString('hex'));
    assert.equal(new Set(texts).size, 1000);
    assert.ok(taken.every((bytes) => bytes.length === length));
    assert.ok(!texts.some((text) => /^0+$/.test(text)), 'never what was wiped');
    // What follows comes from the same pool.
    for (let index = 0; index < 1000; index++) random.bytes(length);
    assert.deepEqual(
      taken.map((bytes) => bytes.toString('hex')),
      texts,
    );
  }
});

test('every character is equally likely', () => {
  const counts = new Map<string, number>();
  for (const char of seededRandom('fair').id(62_000)) counts.set(char, (counts.get(char) ?? 0) + 1);
  assert.equal(counts.size, 62);
  // Without rejection the first letters would come up about 1,210 times; six standard deviations here are 190.
  for (const [char, count] of counts) assert.ok(Math.abs(count - 1000) < 190, `${char} came up ${count} times`);
});

test('a byte that would cause bias is discarded', () => {
  const first = seededRandom('x');
  const second = seededRandom('x');
  const expected = [...second.bytes(64)].filter((byte) => byte < 248).slice(0, 10);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  assert.equal(first.id(10), expected.map((byte) => alphabet[byte % 62]).join(''));
});

test('a seed repeats its sequence, another seed gives another', () => {
  assert.equal(seededRandom(1).id(), seededRandom(1).id());
  assert.notEqual(seededRandom(1).id(), seededRandom(2).id());
  const random = seededRandom(1);
  assert.notEqual(random.id(), random.id());
});
