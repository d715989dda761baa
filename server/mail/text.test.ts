import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { directionOf } from '#language/locale.ts';
import english from '../../locales/en/mail.json' with { type: 'json' };
import { textsFor } from './text.ts';

describe('the sentences of mails', () => {
  it('are exactly those of the catalogue', () => {
    const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !/\.(test|kit|suite)\.ts$/.test(name))
      .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'));
    const used = new Set(sources.flatMap((source) => source.match(/(?<=')mail\.[a-zA-Z]+(?=')/g) ?? []));
    const known = Object.keys(english);
    assert.deepEqual([...used].toSorted(), known.toSorted());
  });
});

describe('texts', () => {
  const texts = textsFor('en', 'Europe/Stockholm');

  it('format dates, instants, sizes and durations', () => {
    assert.equal(texts.date('2026-11-30'), 'Monday 30 November 2026');
    assert.equal(texts.time(Date.UTC(2026, 10, 15, 13, 2)), '15 Nov 2026, 14:02 CET');
    assert.equal(texts.size(50_543_821), '48.2 MB');
    assert.deepEqual([10, 60, 1440, 2880].map(texts.duration), ['10 minutes', '1 hour', '1 day', '2 days']);
  });

  it('are English throughout for a language without a catalogue or an invalid one', () => {
    for (const locale of ['pl', 'ar-EG', '', 'en_broken!', 'en-x', '__proto__']) {
      const other = textsFor(locale, 'UTC');
      assert.equal(other.say('mail.privateButton'), 'Open the message');
      assert.equal(other.date('2026-11-30'), 'Monday 30 November 2026', locale);
      assert.equal(directionOf(other.locale), 'ltr');
    }
  });

  it('keep the region of a language with a catalogue', () => {
    assert.equal(textsFor('en-US', 'UTC').time(0), 'Jan 1, 1970, 12:00 AM UTC');
  });

  it('have the direction of the language', () => {
    assert.deepEqual(['en', 'ar', 'he-IL', 'fa', 'ru'].map(directionOf), ['ltr', 'rtl', 'rtl', 'rtl', 'ltr']);
  });
});
