import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWordMatcher, createWordRanking } from './text-search.ts';

const table: [query: string, texts: string[], isMatch: boolean][] = [
  ['harbor', ['Harbour tender'], false],
  ['harbour rev', ['Harbour sections', 'rev-C.pdf'], true],
  ['harbour missing', ['Harbour sections', 'rev-C.pdf'], false],
  ['HARBOUR', ['the harbour'], true],
  ['öre', ['Orebro'], true],
  ['resume', ['Résumé.pdf'], true],
  ['tender the', ['the tender'], true],
  ['図面', ['港の図面.pdf'], true],
  ['  ', ['anything'], true],
  ['.*', ['anything'], false],
];

for (const [query, texts, isMatch] of table) {
  test(`"${query}" ${isMatch ? 'is' : 'is not'} found in ${JSON.stringify(texts)}`, () => {
    assert.equal(createWordMatcher(query)(texts), isMatch);
  });
}

const ranks: [query: string, title: string, people: string[], rank: number][] = [
  ['harbour', 'Harbour tender', ['ben@quay.example'], 0],
  ['ben', 'Tender', ['ben@harbour.example'], 1],
  ['tender ben', 'Tender', ['ben@harbour.example'], 1],
  ['harbour', 'Tender', ['ben@harbour.example'], 2],
];

for (const [query, title, people, rank] of ranks) {
  test(`"${query}" has rank ${rank} in "${title}" with ${people[0]}`, () => {
    assert.equal(createWordRanking(query)(title, people), rank);
  });
}
