import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import english from '../../locales/en/pages.json' with { type: 'json' };
import { pageTexts, type TextKey } from './text.ts';

const { text, parts } = pageTexts;

const repository = fileURLToPath(new URL('../..', import.meta.url));
const keys = Object.keys(english) as TextKey[];

describe('text', () => {
  it('refuses a sentence whose value is missing', () => {
    assert.throws(() => text('en', 'link.sharedBy', {}), /link\.sharedBy: .*person/);
  });

  it('fills in names', () => {
    assert.equal(text('en', 'password.given', { name: 'Alice' }), 'Alice will have given it to you separately.');
  });

  it('does not parse values as messages', () => {
    const name = '{n, plural, other {#}} {name}';
    assert.equal(text('en', 'gone.askMore', { name }), `Ask ${name} to allow more.`);
  });

  it('chooses the plural form, an exact number before a category', () => {
    assert.equal(text('en', 'link.ownerDownloads', { n: 0 }), 'No downloads so far.');
    assert.equal(text('en', 'link.ownerDownloads', { n: 1 }), '1 download so far.');
    assert.equal(text('en', 'link.ownerDownloads', { n: 1200 }), '1,200 downloads so far.');
  });

  it('fills plurals inside plurals', () => {
    assert.equal(text('en', 'gone.limitText', { files: 1, limit: 1 }), 'The file could be downloaded once.');
    assert.equal(text('en', 'gone.limitText', { files: 2, limit: 3 }), 'Each file could be downloaded 3 times.');
  });

  it('keeps values that are not text, in reading order', () => {
    const name = { element: true };
    assert.deepEqual(parts('en', 'gone.askMore', { name }), ['Ask ', name, ' to allow more.']);
  });

  it('falls back to English for a language without a catalogue', () => {
    assert.equal(text('tlh', 'part.download'), 'Download');
    assert.equal(text('en-GB', 'part.download'), 'Download');
  });
});

describe('the English catalogue', () => {
  it('has no message with quoting or markup, which not all parsers support', () => {
    for (const key of keys) assert.doesNotMatch(english[key], /'[{}#']|[<>|]/, key);
  });

  it('can be filled in: every message parses', () => {
    const anything = new Proxy({}, { get: () => 2, has: () => true });
    for (const key of keys) assert.ok(text('en', key, anything).length > 0, key);
  });

  it('has no unused key, and no page uses a missing key', () => {
    const read = (folders: string[]) => folders.flatMap(sourceFiles).map((file) => readFileSync(file, 'utf8'));
    const sources = read(['web', 'server', 'cli']);
    const used = new Set(
      sources.flatMap((source) => source.match(/(?<=['"])[a-zA-Z]+(?:\.[a-zA-Z]+)+(?=['"])/g) ?? []),
    );
    const composed = sources.flatMap((source) =>
      [...source.matchAll(/`([a-zA-Z.]+\.)\$\{/g)].map(([, start]) => start!),
    );
    assert.deepEqual(
      keys.filter((key) => !used.has(key) && !composed.some((start) => key.startsWith(start))),
      [],
    );
    const calls = read(['web/pages']).flatMap((source) => [
      ...source.matchAll(/\b(?:say\(|k=|text\([^,()]+, )['"]([^'"]+)['"]/g),
    ]);
    assert.ok(calls.length > 50);
    assert.deepEqual(
      calls.map((call) => call[1] ?? '').filter((key) => !pageTexts.has(key)),
      [],
    );
  });
});

function sourceFiles(folder: string): string[] {
  const root = join(repository, folder);
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
    .map((name) => join(root, name));
}
