import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import english from '../../locales/en.json' with { type: 'json' };
import { wordsFor } from './text.ts';

describe('the sentences of mails', () => {
  it('are all in the catalogue, and the catalogue has none that no mail uses', () => {
    const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !/\.(test|kit|suite)\.ts$/.test(name))
      .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'));
    const used = new Set(sources.flatMap((source) => source.match(/(?<=')mail\.[a-zA-Z]+(?=')/g) ?? []));
    const known = Object.keys(english).filter((key) => key.startsWith('mail.'));
    assert.deepEqual([...used].toSorted(), known.toSorted());
  });
});

describe('words', () => {
  const words = wordsFor('en', 'Europe/Stockholm');

  it('write dates, instants, sizes and lengths of time', () => {
    assert.equal(words.date('2026-11-30'), 'Monday 30 November 2026');
    assert.equal(words.time(Date.UTC(2026, 10, 15, 13, 2)), '15 Nov 2026, 14:02 CET');
    assert.equal(words.size(50_543_821), '48.2 MB');
    assert.deepEqual([10, 60, 2880].map(words.duration), ['10 minutes', '1 hour', '2 days']);
  });

  it('fall back to English sentences in other languages, with the dates of the language', () => {
    const german = wordsFor('de', 'UTC');
    assert.equal(german.say('mail.privateButton'), 'Open the message');
    assert.equal(german.date('2026-11-30'), 'Montag, 30. November 2026');
  });
});
