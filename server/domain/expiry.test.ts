import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ExpiryRule, resolveExpiry } from './expiry.ts';
import { Problem } from './problem.ts';

/** Monday 16 November 2026, 09:00 UTC. */
const now = Date.UTC(2026, 10, 16, 9);
const rule = (change: Partial<ExpiryRule> = {}): ExpiryRule => ({
  input: undefined,
  defaultDays: 14,
  maxDays: 180,
  mayChange: true,
  now,
  timeZone: 'UTC',
  noun: 'link',
  ...change,
});
const refuses = (change: Partial<ExpiryRule>, code: string, words?: RegExp) =>
  assert.throws(
    () => resolveExpiry(rule(change)),
    (error: unknown) => {
      assert.ok(error instanceof Problem);
      assert.equal(error.kind, 'invalid');
      assert.equal(error.code, code);
      assert.equal(error.field, 'expires_at');
      if (words !== undefined) assert.match(error.message, words);
      return true;
    },
  );

test('what is no real date is refused', () => {
  for (const input of [
    'tomorrow',
    '2026-02-30',
    '2027-02-29',
    '2026-13-01',
    '2026-00-10',
    '26-11-20',
    '20261120',
    '2026-11-20T00:00:00Z',
    ' 2026-11-20',
    '2026-11-20 ',
    '0000-01-01',
    '10000-01-01',
    '２０２６-11-20',
  ])
    refuses({ input }, 'link.bad_date', /YYYY-MM-DD/);
});

test('a day that is over is refused, today is not', () => {
  refuses({ input: '2026-11-15' }, 'link.expiry_past');
  refuses({ input: '1970-01-01' }, 'link.expiry_past');
  assert.deepEqual(resolveExpiry(rule({ input: '2026-11-16' })), { on: '2026-11-16', at: Date.UTC(2026, 10, 17) });
});

test('the last day the group permits is permitted, and the next is refused with that day in the sentence', () => {
  assert.equal(resolveExpiry(rule({ input: '2027-05-15' })).on, '2027-05-15');
  refuses({ input: '2027-05-16' }, 'link.expiry_too_late', /Saturday 15 May 2027/);
  refuses({ input: '9999-12-31' }, 'link.expiry_too_late');
});

test('where the group decides, only its own date is accepted, and the sentence names it', () => {
  refuses({ input: '2026-11-29', mayChange: false }, 'link.expiry_locked', /Monday 30 November 2026/);
  refuses({ input: '2026-12-01', mayChange: false }, 'link.expiry_locked');
  assert.equal(resolveExpiry(rule({ input: '2026-11-30', mayChange: false })).on, '2026-11-30');
  assert.equal(resolveExpiry(rule({ mayChange: false })).on, '2026-11-30');
});

test('without input the default number of days applies', () => {
  for (const input of [undefined, ''])
    assert.deepEqual(resolveExpiry(rule({ input })), { on: '2026-11-30', at: Date.UTC(2026, 11, 1) });
});

test('the refusal is named after what is being made', () => {
  refuses({ input: 'x', noun: 'message' }, 'message.bad_date');
});

test('the day is a day of the installation: its today, its end', () => {
  const auckland = rule({ timeZone: 'Pacific/Auckland', input: '2026-11-16' });
  assert.equal(resolveExpiry(auckland).at, now + 2 * 3_600_000);
  refuses({ timeZone: 'Pacific/Kiritimati', input: '2026-11-15' }, 'link.expiry_past');
  const lateEvening = Date.UTC(2026, 10, 16, 23, 30);
  refuses({ timeZone: 'Pacific/Auckland', input: '2026-11-16', now: lateEvening }, 'link.expiry_past');
  assert.equal(
    resolveExpiry(rule({ timeZone: 'America/Los_Angeles', input: '2026-11-16', now: lateEvening })).on,
    '2026-11-16',
  );
});

test('every accepted expiry is in the future, within the group’s days, at the end of its day', () => {
  const dayMs = 86_400_000;
  const zones = ['UTC', 'Europe/Stockholm', 'America/Sao_Paulo', 'Asia/Kathmandu', 'Pacific/Chatham'];
  fc.assert(
    fc.property(
      fc.integer({ min: 1_700_000_000_000, max: 4_000_000_000_000 }),
      fc.integer({ min: -5, max: 400 }),
      fc.integer({ min: 1, max: 365 }),
      fc.constantFrom(...zones),
      (instant, days, maxDays, timeZone) => {
        const input = new Date(instant + days * dayMs).toISOString().slice(0, 10);
        try {
          const { on, at } = resolveExpiry(rule({ input, now: instant, maxDays, defaultDays: 1, timeZone }));
          assert.equal(on, input);
          assert.ok(at > instant);
          assert.ok(at <= instant + (maxDays + 1) * dayMs + 3 * 3_600_000);
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
        }
      },
    ),
    { numRuns: 300 },
  );
});
