// Checks imports, packages and code shape; `import-rules/tables.ts` documents the rules. Each rule is tested to fail.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importRules } from './import-rules/import-rules.ts';
import { shapeRules } from './import-rules/shape-rules.ts';
import { findViolations, type Rule, readRepository } from './import-rules/source.ts';

const rules = [...importRules, ...shapeRules];

describe('the import rules', () => {
  const files = readRepository();
  const violations = findViolations(files, rules);
  test('the repository has files', () => assert.ok(files.length > 10));
  for (const [rule, found] of violations) {
    test(rule.sentence, () => assert.deepEqual(found.sort(), [], 'see test/import-rules/tables.ts'));
  }
});

describe('the checks of the import rules', () => {
  const ruleAbout = (words: string): Rule => {
    const found = rules.filter((rule) => rule.sentence.includes(words));
    assert.equal(found.length, 1, `one rule about ${words}`);
    return found[0]!;
  };
  const partViolations = ruleAbout('its line in the table');
  const packageViolations = ruleAbout('a restricted package');
  const contractRule = ruleAbout('nothing of Node');
  const webRule = ruleAbout('web imports nothing of the server');
  const environmentViolations = ruleAbout('the environment');
  const domainViolations = ruleAbout('the domain');
  const lengthViolations = ruleAbout('no file is longer');
  const nameViolations = ruleAbout('is called utils');
  const defaultExportViolations = ruleAbout('exported by name');
  const functionLength = ruleAbout('no function is longer');
  const parameterCount = ruleAbout('parameters');
  const rowTypes = ruleAbout('type of a row');
  const columns = ruleAbout('columns');

  const countIn = (rule: Rule, texts: Record<string, string>) => {
    const files = Object.entries(texts).map(([path, text]) => ({ path, text }));
    return findViolations(files, [rule]).get(rule)!.length;
  };
  const finds = (rule: Rule, path: string, text: string, expected: number) =>
    assert.equal(countIn(rule, { [path]: text }), expected, `${path}: ${text}`);

  test('find a forbidden import in any form', () => {
    finds(partViolations, 'server/domain/a.ts', `import { x } from '../db/x.ts';`, 1);
    finds(partViolations, 'server/domain/a.ts', `import { x } from '#server/db/x.ts';`, 1);
    finds(partViolations, 'server/domain/a.ts', `import type { x } from '../db/x.ts';`, 1);
    finds(partViolations, 'server/domain/a.ts', `export { x } from '../db/x.ts';`, 1);
    finds(partViolations, 'server/domain/a.ts', `export * from '../db/x.ts';`, 1);
    finds(partViolations, 'server/domain/a.ts', `const x = () => import('../db/x.ts');`, 1);
    finds(partViolations, 'server/domain/a.ts', `type X = import('../db/x.ts').X;`, 1);
    finds(partViolations, 'server/domain/a.ts', `import '../db/x.ts';`, 1);
    finds(partViolations, 'server/domain/a.ts', `import { x } from '#test/kit/x.ts';`, 1);
    finds(partViolations, 'server/domain/a.ts', `import { x } from './b.suite.ts';`, 1);
    finds(
      partViolations,
      'web/pages/a.tsx',
      `import { x } from '#server/domain/x.ts'; export const A = () => <p />;`,
      1,
    );
    finds(partViolations, 'server/actions/a.ts', `import { x } from '../mail/smtp.ts';`, 1);
    finds(partViolations, 'server/http/a.ts', `import { x } from '../db/x.ts'; import { y } from '../blobs/y.ts';`, 2);
    finds(partViolations, 'server/new-folder/a.ts', ``, 1);
    finds(partViolations, 'server/http/a.ts', `import x from '../../unknown/x.ts';`, 1);
  });

  test('permit allowed imports', () => {
    finds(partViolations, 'server/domain/a.ts', `import { x } from '../lib/x.ts'; import { y } from './y.ts';`, 0);
    finds(
      partViolations,
      'server/domain/a.ts',
      `// import { x } from '../db/x.ts';\nconst s = "from '../db/x.ts'";`,
      0,
    );
    finds(partViolations, 'server/domain/a.test.ts', `import { x } from '#test/kit/x.ts';`, 0);
    finds(partViolations, 'server/mail/render.ts', `import { x } from '#contract/sizes.ts';`, 0);
    finds(partViolations, 'server/http/a.ts', `import type { X } from '#web/pages/x.ts';`, 0);
    finds(partViolations, 'server/app.ts', `import { x } from './mail/smtp.ts';`, 0);
  });

  test('find an import of the server in web, even in tests and of types', () => {
    finds(webRule, 'web/app/e2e/a.test.ts', `import { x } from '#server/lib/x.ts';`, 1);
    finds(webRule, 'web/app/e2e/a.fixture.ts', `import type { X } from '#server/db/x.ts';`, 1);
    finds(webRule, 'web/app/e2e/a.test.ts', `import { x } from '#test/kit/x.ts';`, 0);
    finds(webRule, 'test/kit/a.ts', `import { x } from '#server/lib/x.ts';`, 0);
  });

  test('find a package outside its folder', () => {
    finds(packageViolations, 'server/actions/a.ts', `import findMyWay from 'find-my-way';`, 1);
    finds(packageViolations, 'server/actions/a.ts', `import type { Kysely } from 'kysely';`, 1);
    finds(packageViolations, 'server/actions/a.ts', `import { sql } from 'kysely/helpers/sqlite';`, 1);
    finds(packageViolations, 'server/http/a.ts', `const { S3 } = await import('@aws-sdk/client-s3');`, 1);
    finds(packageViolations, 'server/jobs/a.ts', `import { spawn } from 'node:child_process';`, 1);
    finds(packageViolations, 'server/jobs/a.ts', `import { spawn } from 'child_process';`, 1);
    finds(packageViolations, 'web/app/screens/a.tsx', `import { Button } from '@mantine/core';`, 1);
    finds(packageViolations, 'web/app/ui/a.tsx', `import { Button } from '@mantine/core';`, 0);
    finds(packageViolations, 'server/http/a.ts', `import findMyWay from 'find-my-way';`, 0);
    finds(packageViolations, 'server/lib/child.ts', `import { spawn } from 'node:child_process';`, 0);
    finds(contractRule, 'contract/a.ts', `import { x } from 'node:crypto';`, 1);
    finds(contractRule, 'contract/a.ts', `import { z } from 'zod';`, 0);
  });

  test('find a second reader of the environment', () => {
    finds(environmentViolations, 'server/app.ts', `const x = process.env.HOME;`, 1);
    finds(environmentViolations, 'server/app.ts', `const x = process['env'].HOME;`, 1);
    finds(environmentViolations, 'server/app.ts', `const { env } = process;`, 1);
    finds(environmentViolations, 'server/app.ts', `import { env } from 'node:process';`, 1);
    finds(environmentViolations, 'server/app.ts', `// process.env\nconst x = process.argv;`, 0);
    finds(environmentViolations, 'server/config.ts', `const x = process.env.HOME;`, 0);
  });

  test('find input and output in the domain', () => {
    finds(domainViolations, 'server/domain/a.ts', `import { readFileSync } from 'node:fs';`, 1);
    finds(domainViolations, 'server/domain/a.ts', `const t = Date.now();`, 1);
    finds(domainViolations, 'server/domain/a.ts', `const t = new Date();`, 1);
    finds(domainViolations, 'server/domain/a.ts', `const r = Math.random();`, 1);
    finds(domainViolations, 'server/domain/a.ts', `async function f() { await g(); }`, 1);
    finds(domainViolations, 'server/domain/a.ts', `const t = new Date(0); const m = Math.max(1, 2);`, 0);
    finds(domainViolations, 'server/domain/a.ts', `import type { Readable } from 'node:stream';`, 0);
  });

  test('find long files, empty names and default exports', () => {
    finds(lengthViolations, 'server/db/a.ts', 'a();\n'.repeat(401), 1);
    finds(lengthViolations, 'server/db/a.ts', 'a();\n'.repeat(400), 0);
    finds(lengthViolations, 'server/db/a.test.ts', 'a();\n'.repeat(401), 0);
    for (const name of [
      'utils.ts',
      'string-utils.ts',
      'helpers/a.ts',
      'user-service.ts',
      'index.ts',
      'common.test.ts',
    ]) {
      finds(nameViolations, `server/lib/${name}`, '', 1);
    }
    finds(nameViolations, 'server/lib/communication.ts', '', 0);
    finds(defaultExportViolations, 'server/lib/a.ts', 'export default 1;', 1);
    finds(defaultExportViolations, 'server/lib/a.ts', 'const a = 1; export { a as default };', 1);
    finds(defaultExportViolations, 'server/lib/a.ts', 'export const a = 1;', 0);
    finds(defaultExportViolations, 'web/pages/vite.config.ts', 'export default {};', 0);
  });

  test('find import cycles, even of types and of three files', () => {
    const cycles = ruleAbout('imports itself');
    const from = (...paths: string[]) => paths.map((path) => `import type { x } from './${path}.ts';`).join('\n');
    const count = (a: string, b: string, c: string) =>
      countIn(cycles, { 'server/lib/a.ts': a, 'server/lib/b.ts': b, 'server/lib/c.ts': c });
    assert.equal(count(from('b'), from('a'), ''), 1);
    assert.equal(count(from('b'), from('c'), from('a')), 1);
    assert.equal(count(from('a'), '', ''), 1);
    assert.equal(count(from('b', 'c'), from('c'), ''), 0);
  });

  test('find long functions anywhere, but not a long block of short tests', () => {
    const lines = (count: number) => 'a();\n'.repeat(count);
    finds(functionLength, 'server/lib/a.ts', `function f() {\n${lines(59)}}`, 1);
    finds(functionLength, 'server/lib/a.ts', `function f() {\n${lines(58)}}`, 0);
    finds(functionLength, 'server/lib/a.ts', `const f = async () => {\n${lines(59)}};`, 1);
    finds(functionLength, 'server/lib/a.ts', `class A { f() {\n${lines(59)}} }`, 1);
    finds(functionLength, 'server/db/migrations/0001-a.ts', `function f() {\n${lines(59)}}`, 0);
    const block = (name: string) => `describe('a', () => {\n${`test('b', ${name});\n`.repeat(60)}});`;
    finds(functionLength, 'server/lib/a.test.ts', block('() => {}'), 0);
    finds(functionLength, 'server/lib/a.test.ts', `test('a', () => {\n${lines(59)}});`, 1);
    finds(functionLength, 'server/lib/a.ts', block('() => {}'), 1);
  });

  test('find too many parameters', () => {
    finds(parameterCount, 'server/lib/a.ts', 'const f = (a, b, c, d, e) => a;', 1);
    finds(parameterCount, 'server/lib/a.ts', 'class A { f(a, b, c, d, e) {} }', 1);
    finds(parameterCount, 'server/lib/a.ts', 'function f(a, b, c, { d, e }) {}', 0);
  });

  test('find rows outside the database', () => {
    finds(rowTypes, 'server/actions/a.ts', `import type { UserRow } from '../db/users.ts';`, 1);
    finds(rowTypes, 'server/actions/a.ts', `import { type Tx, type UsersTable as U } from '../db/schema.ts';`, 1);
    finds(rowTypes, 'server/actions/a.ts', `type U = import('../db/schema.ts').UsersTable;`, 1);
    finds(rowTypes, 'server/actions/a.ts', `import type { Tx } from '../db/schema.ts';`, 0);
    finds(rowTypes, 'server/db/a.ts', `import type { UserRow } from './users.ts';`, 0);
    finds(rowTypes, 'web/app/a.tsx', `import type { TableRow } from './ui/table.tsx';`, 0);
    finds(columns, 'server/actions/a.ts', 'const size = file.size_bytes;', 1);
    finds(columns, 'server/actions/a.ts', 'const { size_bytes: size } = file;', 1);
    finds(columns, 'server/actions/a.ts', 'const size = file.sizeBytes;', 0);
    finds(columns, 'server/db/a.ts', 'const size = file.size_bytes;', 0);
    finds(columns, 'server/http/a.ts', 'const size = body.file_size;', 0);
  });

  test('find a second place that opens sessions or sends stored bytes', () => {
    const sessions = ruleAbout('sessions are opened');
    const from = `import { findSession, insertSession } from '../../db/sessions/sessions.ts';`;
    finds(sessions, 'server/actions/sessions/sign-in.ts', from, 1);
    finds(sessions, 'server/actions/sessions/open-session.ts', from, 0);
    finds(sessions, 'server/db/users/users.ts', `tx.insertInto('sessions').values(row);`, 1);
    finds(sessions, 'server/db/sessions/sessions.ts', `tx.insertInto('sessions').values(row);`, 0);
    finds(sessions, 'test/kit/a.ts', from, 0);
    finds(sessions, 'server/http/pages/previews.ts', 'await deps.ctx.blobs.send(blob, range, response);', 1);
    finds(sessions, 'server/http/downloads/transfer.ts', 'await deps.ctx.blobs.send(blob, range, response);', 0);
  });

  test('find files that are not really shared', () => {
    const shared = ruleAbout('3 screens');
    const use = (target: string) => `import { x } from '#web/app/parts/${target}.tsx';`;
    const users = (...names: string[]) =>
      Object.fromEntries(names.map((name) => [`web/app/screens/${name}/a.tsx`, use('part')]));
    const part = { 'web/app/parts/part.tsx': '' };
    assert.equal(countIn(shared, { ...part, ...users('a', 'b') }), 1);
    assert.equal(countIn(shared, { ...part, ...users('a', 'b'), 'web/app/screens/b/b.tsx': use('part') }), 1);
    assert.equal(countIn(shared, { ...part, ...users('a', 'b'), 'web/app/screens/c/a.test.tsx': use('part') }), 1);
    assert.equal(countIn(shared, { ...part, ...users('a', 'b', 'c') }), 0);
    assert.equal(countIn(shared, { ...part, ...users('a', 'b'), 'web/app/shell/rail.tsx': use('part') }), 0);
    const inner = { 'web/app/parts/inner.tsx': '', 'web/app/parts/part.tsx': use('inner') };
    assert.equal(countIn(shared, { ...inner, ...users('a', 'b', 'c') }), 0);
  });
});
