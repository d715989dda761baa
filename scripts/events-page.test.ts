import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEventFacts } from './event-facts.ts';
import { brokenKinds, type Catalogue, currentCatalogue, publishedCatalogue, rule } from './events-page.ts';

test('no kind of event changes in a way that breaks receivers', () => {
  assert.deepEqual(brokenKinds(publishedCatalogue(), currentCatalogue()), [], rule);
});

test('a removed kind, object or fact, another type, version or mapping break receivers; additions do not', () => {
  const kind = {
    since: '0.1.0',
    objects: ['link', 'message'],
    facts: { size: 'number', to: 'string' },
    cefSeverity: 3,
    ocsf: { class: 6006, activity: 12 },
  };
  const published: Catalogue = { 'message.sent': kind };
  const broken = (change: Partial<typeof kind>) => brokenKinds(published, { 'message.sent': { ...kind, ...change } });
  assert.deepEqual(brokenKinds(published, {}), ['message.sent was removed']);
  assert.deepEqual(broken({ objects: ['message'] }), ['message.sent is no longer about link']);
  assert.deepEqual(broken({ facts: { size: 'string' } as never }), [
    'the fact size of message.sent was "number" and is "string"',
    'the fact to of message.sent was removed',
  ]);
  const mapping = ['the version or the mapping of message.sent was changed'];
  assert.deepEqual(broken({ since: '0.2.0' }), mapping);
  assert.deepEqual(broken({ cefSeverity: 4 }), mapping);
  assert.deepEqual(broken({ ocsf: { class: 6006, activity: 1 } }), mapping);
  const more = { ...kind, objects: [...kind.objects, 'request'], facts: { ...kind.facts, files: 'number' } };
  assert.deepEqual(brokenKinds(published, { 'message.sent': more, 'message.read': kind }), []);
});

test('types of facts are read through names, intersections, alternatives and records', () => {
  const source = `
    // A comment; with a semicolon.
    type Sized = { size: number };
    export type Changes = Record<string, { from: unknown }>;
    export interface EventFacts {
      'a.b': Sized & { way: 'code' | 'link'; reason?: string };
      /** Of links. */
      'c.d':
        | { expires: string; from?: string }
        | { password: boolean; expires: string };
      'e.f': Changes;
      'g.h': { list: string[]; change: { from: string; to: string } };
    }`;
  assert.deepEqual(readEventFacts(source), {
    'a.b': { reason: 'string, optional', size: 'number', way: '"code" | "link"' },
    'c.d': { expires: 'string', from: 'string, optional', password: 'boolean, optional' },
    'e.f': { '…': 'unknown, optional' },
    'g.h': { change: 'object', list: 'string[]' },
  });
});
