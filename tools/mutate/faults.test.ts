import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parseFile } from '#scripts/imports.ts';
import { repositoryRoot } from '#scripts/source-files.ts';
import { describeFault, faultKinds, findFaults, plant, sampleFaults } from './faults.ts';

const planted = (text: string) => findFaults('a.ts', text).map((fault) => plant(text, fault));

describe('a planted fault', () => {
  const table: [what: string, before: string, after: string[]][] = [
    ['negates an equality', 'f(a === b);', ['f(a !== b);']],
    [
      'includes or excludes the border of an inequality',
      'f(a < b, c >= d);',
      ['f(a <= b, c >= d);', 'f(a < b, c > d);'],
    ],
    ['swaps && and ||, but not ??', 'f(a && b, c ?? d);', ['f(a || b, c ?? d);']],
    ['negates the condition of a statement', 'if (a) b();', ['if (!(a)) b();']],
    ['negates the condition of an expression', 'f(a ? 1 : 2);', ['f(!(a) ? 1 : 2);']],
    ['does not negate a comparison twice', 'if (a !== b) c();', ['if (a === b) c();']],
    ['adds one to a small number', 'const most = 20;', ['const most = 21;']],
    ['doubles a large number', 'const ms = 60_000;', ['const ms = (60_000 * 2);']],
    ['removes an awaited call without a result', 'await f();\nconst x = await g();', ['{}\nconst x = await g();']],
    ['removes a throw statement', 'if (a) throw new B();', ['if (!(a)) throw new B();', 'if (a) {}']],
    [
      'returns early from a void function',
      'function f(): void { a(); b(); }',
      ['function f(): void { return; a(); b(); }'],
    ],
    ['does not return early from a function with a result', 'function f(): number { a(); return b; }', []],
    ['removes a clause of a query', "q.where('a', '=', 1).execute();", ['q.execute();']],
    ['keeps a limit of one row', 'q.limit(1).executeTakeFirst();', []],
    ['removes a column of an update', 'q.set({ a: b, c: d });', ['q.set({ c: d });', 'q.set({ a: b });']],
    ['swaps min and max', 'f(Math.min(a, b));', ['f(Math.max(a, b));']],
    ['ignores arguments of log statements', "ctx.log.warn({ count: a === b ? 1 : 2 }, 'c');", []],
    ['ignores conditions of log statements', "if (a === b) log.info('c');", []],
    ['ignores batch sizes and intervals', 'const batchSize = 500;\nf({ everyMs: 1000 });', []],
    ['ignores limits of batches', 'q.limit(batchSize).execute();', []],
    [
      'ignores the border of a comparison with performance.now()',
      'if (performance.now() > b) c();',
      ['if (!(performance.now() > b)) c();'],
    ],
    ['ignores the order of equal values', 'f(a < b ? -1 : 1);', ['f(!(a < b) ? -1 : 1);']],
    ['ignores the choice between equal values', 'f(g(a) < g(b) ? b : a);', ['f(!(g(a) < g(b)) ? b : a);']],
    ['negates a returned boolean', 'function f() { return true; }', ['function f() { return false; }']],
  ];
  for (const [what, before, after] of table) test(what, () => assert.deepEqual(planted(before), after));

  test('is described on one line, with its line number', () => {
    const text = 'a();\nif (b ===\n  c) d();';
    const [fault] = findFaults('a.ts', text);
    assert.equal(fault!.line, 2);
    assert.equal(describeFault(text, fault!), '=== → !==');
    const dropped = findFaults('a.ts', 'await f();')[0]!;
    assert.equal(describeFault('await f();', dropped), 'await f(); → (nothing)');
  });

  test('leaves a file that parses', () => {
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
    assert.deepEqual(sampleFaults(faults, 12, 7), sampleFaults(faults, 12, 7));
    assert.notDeepEqual(sampleFaults(faults, 12, 7), sampleFaults(faults, 12, 8));
  });

  test('has every kind about equally often, and no fault twice', () => {
    const chosen = sampleFaults(faults, 20, 1);
    assert.equal(new Set(chosen.map(({ start, kind }) => `${start} ${kind}`)).size, 20);
    const kinds = faultKinds.filter((kind) => faults.some((fault) => fault.kind === kind));
    for (const kind of kinds)
      assert.ok(Math.abs(chosen.filter((fault) => fault.kind === kind).length - 20 / kinds.length) <= 1, kind);
  });

  test('contains all faults if there are fewer', () => {
    assert.equal(sampleFaults(faults, 10_000, 1).length, faults.length);
  });
});
