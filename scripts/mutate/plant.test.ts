// Planted faults: each kind is found where it can be, is a single change, and leaves a file that parses.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parseFile } from '../imports.ts';
import { repositoryRoot } from '../source-files.ts';
import { chooseFaults } from './choose.ts';
import { describeFault, faultKinds, findFaults, plant } from './plant.ts';

/** What a text becomes by each of its faults. */
const planted = (text: string) => findFaults('a.ts', text).map((fault) => plant(text, fault));

describe('a planted fault', () => {
  const table: [what: string, before: string, after: string[]][] = [
    ['flips an equality', 'f(a === b);', ['f(a !== b);']],
    ['moves a border', 'f(a < b, c >= d);', ['f(a <= b, c >= d);', 'f(a < b, c > d);']],
    ['swaps and and or, not a fallback', 'f(a && b, c ?? d);', ['f(a || b, c ?? d);']],
    ['takes the other branch', 'if (a) b();', ['if (!(a)) b();']],
    ['takes the other value', 'f(a ? 1 : 2);', ['f(!(a) ? 1 : 2);']],
    ['does not do so twice', 'if (a !== b) c();', ['if (a === b) c();']],
    ['counts one more', 'const most = 20;', ['const most = 21;']],
    ['measures twice as much', 'const ms = 60_000;', ['const ms = (60_000 * 2);']],
    ['forgets what is awaited', 'await f();\nconst x = await g();', ['{}\nconst x = await g();']],
    ['refuses nothing', 'if (a) throw new B();', ['if (!(a)) throw new B();', 'if (a) {}']],
    ['returns early', 'function f(): void { a(); b(); }', ['function f(): void { return; a(); b(); }']],
    ['does not where something is given back', 'function f(): number { a(); return b; }', []],
    ['forgets a line of a query', "q.where('a', '=', 1).execute();", ['q.execute();']],
    ['does not where one row is asked for', 'q.limit(1).executeTakeFirst();', []],
    ['forgets a column', 'q.set({ a: b, c: d });', ['q.set({ c: d });', 'q.set({ a: b });']],
    ['takes the larger', 'f(Math.min(a, b));', ['f(Math.max(a, b));']],
    ['is in no line of the log', "ctx.log.warn({ count: a === b ? 1 : 2 }, 'c');", []],
    ['is not whether one is written', "if (a === b) log.info('c');", []],
    ['is not how much is done at a time, or how often', 'const batchSize = 500;\nf({ everyMs: 1000 });', []],
    ['is not how large a batch is', 'q.limit(batchSize).execute();', []],
    [
      'is not the border of a clock that never meets it',
      'if (performance.now() > b) c();',
      ['if (!(performance.now() > b)) c();'],
    ],
    ['is not how the same is ordered', 'f(a < b ? -1 : 1);', ['f(!(a < b) ? -1 : 1);']],
    ['is not which of the same is taken', 'f(g(a) < g(b) ? b : a);', ['f(!(g(a) < g(b)) ? b : a);']],
    ['says the contrary', 'function f() { return true; }', ['function f() { return false; }']],
  ];
  for (const [what, before, after] of table) test(what, () => assert.deepEqual(planted(before), after));

  test('is told with its line and in one line', () => {
    const text = 'a();\nif (b ===\n  c) d();';
    const [fault] = findFaults('a.ts', text);
    assert.equal(fault!.line, 2);
    assert.equal(describeFault(text, fault!), '=== → !==');
    const dropped = findFaults('a.ts', 'await f();')[0]!;
    assert.equal(describeFault('await f();', dropped), 'await f(); → (nothing)');
  });

  test('leaves a file that parses, wherever it is', () => {
    for (const path of [
      'server/db/uploads/uploads.ts',
      'server/actions/uploads/quota.ts',
      'server/blobs/open-range.ts',
    ]) {
      const text = readFileSync(join(repositoryRoot, path), 'utf8');
      const faults = findFaults(path, text);
      assert.ok(faults.length > 5);
      for (const fault of faults) parseFile(path, plant(text, fault));
    }
  });
});

describe('a sample', () => {
  const text = 'if (a === b) await f();\nconst x = 1;\nif (c) throw d;\n'.repeat(10);
  const faults = findFaults('a.ts', text);

  test('is the same for the same seed, and another for another', () => {
    assert.deepEqual(chooseFaults(faults, 12, 7), chooseFaults(faults, 12, 7));
    assert.notDeepEqual(chooseFaults(faults, 12, 7), chooseFaults(faults, 12, 8));
  });

  test('has every kind about equally often, and no fault twice', () => {
    const chosen = chooseFaults(faults, 20, 1);
    assert.equal(new Set(chosen.map(({ start, kind }) => `${start} ${kind}`)).size, 20);
    const kinds = faultKinds.filter((kind) => faults.some((fault) => fault.kind === kind));
    for (const kind of kinds)
      assert.ok(Math.abs(chosen.filter((fault) => fault.kind === kind).length - 20 / kinds.length) <= 1, kind);
  });

  test('is everything when more is asked for than there is', () => {
    assert.equal(chooseFaults(faults, 10_000, 1).length, faults.length);
  });
});
