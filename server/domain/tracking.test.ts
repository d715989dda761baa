import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  isDone,
  isEndingSoon,
  looksLikeScanner,
  mailStateOf,
  messageStateWord,
  nextReminderAt,
  type PersonFacts,
  personState,
} from './tracking.ts';

const dayMs = 86_400_000;
const nothing: PersonFacts = {
  isRevoked: false,
  mail: 'none',
  hasOpened: false,
  hasRead: false,
  wholeFiles: 0,
  hasPart: false,
};
const twoFiles = { fileCount: 2, isPrivate: false };

describe('The furthest step of a person', () => {
  const cases: [string, Partial<PersonFacts>, string][] = [
    ['nothing happened', {}, 'waiting'],
    ['the mail waits', { mail: 'deferred' }, 'waiting'],
    ['the mail was refused', { mail: 'refused' }, 'problem'],
    ['the mail was refused, but they came by the link', { mail: 'refused', hasOpened: true }, 'opened'],
    ['the mail was accepted', { mail: 'accepted' }, 'delivered'],
    ['they opened it', { mail: 'accepted', hasOpened: true }, 'opened'],
    ['a download broke off', { hasOpened: true, hasPart: true }, 'partly'],
    ['one of two files', { hasOpened: true, wholeFiles: 1 }, 'partly'],
    ['both files', { hasOpened: true, wholeFiles: 2 }, 'done'],
    ['revoked, after any step', { wholeFiles: 2, isRevoked: true }, 'revoked'],
  ];
  for (const [name, facts, state] of cases) {
    test(name, () => assert.equal(personState({ ...nothing, ...facts }, twoFiles), state));
  }

  test('without files the text is everything: read when it is private, mailed or opened when it is not', () => {
    const secret = { fileCount: 0, isPrivate: true };
    assert.equal(isDone({ ...nothing, mail: 'accepted', hasOpened: true }, secret), false);
    assert.equal(isDone({ ...nothing, hasRead: true }, secret), true);
    assert.equal(isDone({ ...nothing, mail: 'accepted' }, { fileCount: 0, isPrivate: false }), true);
  });
});

test('one of something is enough: an attempt, a file, a person', () => {
  assert.equal(mailStateOf({ state: 'pending', attempts: 1 }), 'deferred');
  assert.equal(mailStateOf({ state: 'pending', attempts: 0 }), 'queued');
  const oneFile = { fileCount: 1, isPrivate: false };
  assert.equal(isDone({ ...nothing, mail: 'accepted', hasOpened: true }, oneFile), false);
  assert.equal(isDone({ ...nothing, wholeFiles: 1 }, oneFile), true);
  const active = { state: 'active' as const, expiresAt: 100 * dayMs, reviewState: null };
  assert.equal(messageStateWord(active, { count: 1, done: 1, begun: 1, problems: 0 }, 0), 'all');
  assert.equal(messageStateWord(active, { count: 0, done: 0, begun: 0, problems: 0 }, 0), 'on_its_way');
  assert.equal(messageStateWord(active, { count: 2, done: 0, begun: 1, problems: 0 }, 0), 'partly');
  assert.equal(messageStateWord(active, { count: 2, done: 0, begun: 1, problems: 1 }, 0), 'problem');
});

describe('The state of a message', () => {
  const now = 1_000 * dayMs;
  const active = { state: 'active' as const, expiresAt: now + 10 * dayMs, reviewState: null };
  const people = { count: 3, done: 0, begun: 0, problems: 0 };
  test('ends win over problems, problems over progress, everything over the date', () => {
    assert.equal(messageStateWord({ ...active, state: 'revoked' }, { ...people, problems: 1 }, now), 'stopped');
    assert.equal(messageStateWord({ ...active, state: 'released' }, people, now), 'expired');
    assert.equal(messageStateWord({ ...active, expiresAt: now }, people, now), 'expired');
    assert.equal(messageStateWord(active, { ...people, done: 2, begun: 2, problems: 1 }, now), 'problem');
    assert.equal(messageStateWord(active, people, now), 'on_its_way');
    assert.equal(messageStateWord(active, { ...people, begun: 1 }, now), 'partly');
    assert.equal(messageStateWord(active, { ...people, done: 3, begun: 3 }, now), 'all');
    const soon = { ...active, expiresAt: now + 3 * dayMs };
    assert.equal(messageStateWord(soon, { ...people, begun: 1 }, now), 'ending');
    assert.equal(messageStateWord(soon, { ...people, done: 3, begun: 3 }, now), 'all');
    assert.equal(messageStateWord(active, { count: 0, done: 0, begun: 0, problems: 0 }, now), 'on_its_way');
  });
});

test('a waiting mail is deferred after an attempt, and queued before', () => {
  assert.equal(mailStateOf(undefined), 'none');
  assert.equal(mailStateOf({ state: 'pending', attempts: 0 }), 'queued');
  assert.equal(mailStateOf({ state: 'pending', attempts: 2 }), 'deferred');
  assert.equal(mailStateOf({ state: 'sending', attempts: 1 }), 'queued');
  assert.equal(mailStateOf({ state: 'failed', attempts: 1 }), 'refused');
});

test('programs are recognized by method, name, or missing headers; a browser is not', () => {
  const browser = {
    method: 'GET',
    agent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36',
    platform: 'desktop',
    hasLanguage: true,
    fetchMode: 'navigate',
  };
  assert.equal(looksLikeScanner(browser), false);
  assert.equal(looksLikeScanner({ ...browser, fetchMode: undefined }), false, 'an old browser');
  assert.equal(looksLikeScanner({ ...browser, method: 'HEAD' }), true);
  assert.equal(looksLikeScanner({ ...browser, agent: '' }), true);
  assert.equal(looksLikeScanner({ ...browser, platform: 'cli' }), true);
  assert.equal(looksLikeScanner({ ...browser, agent: `${browser.agent} BarracudaLinkProtect` }), true);
  assert.equal(looksLikeScanner({ ...browser, hasLanguage: false, fetchMode: undefined }), true);
});

test('a reminder may go a day after the last one, and as often as permitted', () => {
  const now = 100 * dayMs;
  assert.equal(nextReminderAt({ reminderCount: 0, lastMailAt: null }, 3, now), now);
  assert.equal(nextReminderAt({ reminderCount: 0, lastMailAt: now - 60_000 }, 3, now), now - 60_000 + dayMs);
  assert.equal(nextReminderAt({ reminderCount: 1, lastMailAt: now - 1 }, 3, now), now - 1 + dayMs);
  assert.equal(nextReminderAt({ reminderCount: 2, lastMailAt: now - 2 * dayMs }, 3, now), now);
  assert.equal(nextReminderAt({ reminderCount: 3, lastMailAt: now - 9 * dayMs }, 3, now), null);
  assert.equal(nextReminderAt({ reminderCount: 0, lastMailAt: null }, 0, now), null);
});

test('a message ends soon three days before its end, and a short one in the second half of its time', () => {
  const ends = (lifetimeMs: number, leftMs: number) =>
    isEndingSoon({ createdAt: 0, expiresAt: lifetimeMs }, lifetimeMs - leftMs);
  assert.deepEqual(
    [ends(30 * dayMs, 3 * dayMs + 1), ends(30 * dayMs, 3 * dayMs), ends(30 * dayMs, 1)],
    [false, true, true],
  );
  assert.deepEqual([ends(2 * dayMs, dayMs + 1), ends(2 * dayMs, dayMs)], [false, true]);
  assert.deepEqual([ends(dayMs, 0), ends(dayMs, -1)], [false, false]);
});
