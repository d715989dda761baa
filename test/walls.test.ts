// The walls of the house: who may import whom, which package belongs to which folder, and a few house rules that a
// linter cannot know. The tables are the documentation; ARCHITECTURE.md tells why. Every rule is proven able to fail.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type Import, lineAt, readImports, walkSyntax } from '#scripts/imports.ts';
import { listFiles, repositoryRoot } from '#scripts/source-files.ts';

interface Part {
  name: string;
  /** Folders and files; the longest one that fits a path decides. */
  paths: string[];
  /** Names of parts. Its own part is always allowed. */
  mayImport: string[] | 'everything';
  /** Only with `import type`, which is gone when the program runs. */
  mayImportTypesOf?: string[];
}

/** The dependency rule: the later may import the earlier, never back. */
const parts: Part[] = [
  { name: 'sizes', paths: ['contract/sizes.ts'], mayImport: [] },
  { name: 'contract', paths: ['contract'], mayImport: ['sizes'] },
  { name: 'locales', paths: ['locales'], mayImport: [] },
  { name: 'language', paths: ['language'], mayImport: ['sizes'] },

  { name: 'manifest', paths: ['package.json'], mayImport: [] },
  { name: 'lib', paths: ['server/lib'], mayImport: ['manifest'] },
  { name: 'domain', paths: ['server/domain'], mayImport: ['lib'] },
  { name: 'db', paths: ['server/db'], mayImport: ['domain', 'lib'] },
  { name: 'mail', paths: ['server/mail'], mayImport: ['domain', 'lib', 'sizes', 'language', 'locales'] },
  {
    name: 'mail transports',
    paths: ['server/mail/transports', 'server/mail/smtp.ts', 'server/mail/folder.ts', 'server/mail/memory.ts'],
    mayImport: ['domain', 'lib'],
  },
  { name: 'blobs', paths: ['server/blobs'], mayImport: ['domain', 'lib'] },
  { name: 'actions', paths: ['server/actions'], mayImport: ['domain', 'db', 'mail', 'lib', 'language'] },
  {
    name: 'http',
    paths: ['server/http'],
    mayImport: ['actions', 'domain', 'lib', 'contract', 'sizes', 'language', 'locales'],
    mayImportTypesOf: ['pages', 'built pages'],
  },
  { name: 'jobs', paths: ['server/jobs'], mayImport: ['actions', 'db', 'domain', 'lib', 'mail'] },
  { name: 'config', paths: ['server/config.ts', 'server/config-entries.ts'], mayImport: ['domain', 'lib'] },
  {
    name: 'app',
    paths: ['server/app.ts', 'server/installation.ts', 'server/setup-token.ts'],
    mayImport: [
      'config',
      'http',
      'jobs',
      'actions',
      'db',
      'mail',
      'mail transports',
      'blobs',
      'domain',
      'lib',
      'contract',
      'built pages',
    ],
  },
  {
    name: 'commands',
    paths: ['server/commands'],
    mayImport: ['app', 'config', 'actions', 'jobs', 'db', 'mail', 'blobs', 'domain', 'lib', 'contract'],
  },
  { name: 'main', paths: ['server/main.ts'], mayImport: ['commands', 'config', 'domain', 'lib'] },

  { name: 'transfer', paths: ['transfer'], mayImport: ['contract', 'sizes'] },
  { name: 'web', paths: ['web'], mayImport: ['contract', 'sizes', 'language', 'locales'] },
  {
    name: 'web uploads',
    paths: ['web/uploads'],
    mayImport: ['web', 'transfer', 'contract', 'sizes', 'language'],
  },
  {
    name: 'pages',
    paths: ['web/pages'],
    mayImport: ['web', 'web uploads', 'transfer', 'contract', 'sizes', 'language', 'locales'],
    mayImportTypesOf: ['domain'],
  },
  {
    name: 'web app',
    paths: ['web/app'],
    mayImport: ['web', 'web uploads', 'transfer', 'contract', 'sizes', 'language', 'locales'],
  },
  {
    name: 'built pages',
    paths: ['dist/pages', 'web/pages/load.ts', 'dist/app', 'web/app/load.ts'],
    mayImport: [],
    mayImportTypesOf: ['pages'],
  },
  { name: 'cli', paths: ['cli'], mayImport: ['transfer', 'contract', 'sizes', 'language', 'locales'] },

  // Never part of the running product; nothing above may import them.
  { name: 'tests', paths: ['test'], mayImport: 'everything' },
  { name: 'scripts', paths: ['scripts'], mayImport: 'everything' },
  { name: 'bench', paths: ['bench'], mayImport: 'everything' },
];

interface PackageWall {
  packages: string[];
  onlyIn: string[];
}

/** Packages, and things built into Node, that only one folder may know; a star stands for any ending. */
const packageWalls: PackageWall[] = [
  { packages: ['fastify', '@fastify/*'], onlyIn: ['server/http'] },
  { packages: ['kysely', 'pg', 'pg-*', 'node:sqlite'], onlyIn: ['server/db'] },
  { packages: ['@aws-sdk/*', '@smithy/*'], onlyIn: ['server/blobs'] },
  { packages: ['nodemailer', 'nodemailer/*'], onlyIn: ['server/mail'] },
  { packages: ['re2js'], onlyIn: ['server/domain', 'server/lib'] },
  { packages: ['sanitize-html'], onlyIn: ['server/lib'] },
  { packages: ['node:child_process'], onlyIn: ['server/lib/child.ts', 'server/commands'] },
  { packages: ['@mantine/*'], onlyIn: ['web/app/ui'] },
];

/** Where the environment is read; everything else is given its settings. */
const environmentReaders = ['server/config.ts'];

/** What rules without input, output, clock and chance have no use for. */
const worldlyModules = /^node:(fs|net|http|http2|https|tls|dns|dgram|child_process|worker_threads|timers|os)(\/|$)/;

const codeFolders = ['contract', 'language', 'server', 'web', 'transfer', 'cli', 'locales', 'test', 'bench', 'scripts'];
const lineLimit = 400;
const mayBeLonger = /\.(test|suite|fixture|generated)\.tsx?$|^server\/db\/migrations\/|^locales\//;
const emptyName = /(^|[-.])(utils?|helpers?|common|managers?|services?)$|^index$/;
/** A tool asks for the default export there. */
const mayExportDefault = /\.config\.ts$|^web\/app\/screens\/|^scripts\/test-events\.ts$/;

interface SourceFile {
  path: string;
  text: string;
}

type Rule = (file: SourceFile) => string[];

describe('the walls of this repository', () => {
  const files = listFiles(repositoryRoot, codeFolders)
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(repositoryRoot, path), 'utf8') }));
  const keep = (sentence: string, rule: Rule) =>
    test(sentence, () => assert.deepEqual(files.flatMap(rule), [], 'see the tables at the top of test/walls.test.ts'));

  test('there is something to keep', () => assert.ok(files.length > 10));
  keep('a part imports only the parts its line in the table allows', partViolations);
  keep('a package with a wall is imported only behind it', packageViolations);
  keep('what travels over the wire runs in browsers too: contract imports nothing of Node', nodeInContract);
  keep('the environment is read in one place', environmentViolations);
  keep('the domain knows no input, no output, no clock and no chance, and never waits', domainViolations);
  keep(`no file is longer than ${lineLimit} lines`, lengthViolations);
  keep('no file or folder is called utils, helpers, common, manager, service or index', nameViolations);
  keep('things are exported by name', defaultExportViolations);
});

describe('the keeper of the walls', () => {
  const finds = (rule: Rule, path: string, text: string, expected: number) =>
    assert.equal(rule({ path, text }).length, expected, `${path}: ${text}`);

  test('notices an import against the rule, in whatever form', () => {
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

  test('lets through what the rule allows', () => {
    finds(partViolations, 'server/domain/a.ts', `import { x } from '../lib/x.ts'; import { y } from './y.ts';`, 0);
    finds(
      partViolations,
      'server/domain/a.ts',
      `// import { x } from '../db/x.ts';\nconst s = "from '../db/x.ts'";`,
      0,
    );
    finds(partViolations, 'server/domain/a.test.ts', `import { x } from '#test/kit/x.ts';`, 0);
    finds(partViolations, 'server/mail/render.ts', `import { x } from '#contract/sizes.ts';`, 0);
    finds(partViolations, 'web/pages/a.tsx', `import type { X } from '#server/domain/x.ts';`, 0);
    finds(partViolations, 'server/app.ts', `import { x } from './mail/smtp.ts';`, 0);
  });

  test('notices a package outside of its wall', () => {
    finds(packageViolations, 'server/actions/a.ts', `import fastify from 'fastify';`, 1);
    finds(packageViolations, 'server/actions/a.ts', `import type { Kysely } from 'kysely';`, 1);
    finds(packageViolations, 'server/actions/a.ts', `import { sql } from 'kysely/helpers/sqlite';`, 1);
    finds(packageViolations, 'server/http/a.ts', `const { S3 } = await import('@aws-sdk/client-s3');`, 1);
    finds(packageViolations, 'server/jobs/a.ts', `import { spawn } from 'node:child_process';`, 1);
    finds(packageViolations, 'server/jobs/a.ts', `import { spawn } from 'child_process';`, 1);
    finds(packageViolations, 'web/app/screens/a.tsx', `import { Button } from '@mantine/core';`, 1);
    finds(packageViolations, 'web/app/ui/a.tsx', `import { Button } from '@mantine/core';`, 0);
    finds(packageViolations, 'server/http/a.ts', `import fastify from 'fastify';`, 0);
    finds(packageViolations, 'server/lib/child.ts', `import { spawn } from 'node:child_process';`, 0);
    finds(nodeInContract, 'contract/a.ts', `import { x } from 'node:crypto';`, 1);
    finds(nodeInContract, 'contract/a.ts', `import { z } from 'zod';`, 0);
  });

  test('notices a second reader of the environment', () => {
    finds(environmentViolations, 'server/app.ts', `const x = process.env.HOME;`, 1);
    finds(environmentViolations, 'server/app.ts', `const x = process['env'].HOME;`, 1);
    finds(environmentViolations, 'server/app.ts', `const { env } = process;`, 1);
    finds(environmentViolations, 'server/app.ts', `import { env } from 'node:process';`, 1);
    finds(environmentViolations, 'server/app.ts', `// process.env\nconst x = process.argv;`, 0);
    finds(environmentViolations, 'server/config.ts', `const x = process.env.HOME;`, 0);
  });

  test('notices a domain that looks at the world', () => {
    finds(domainViolations, 'server/domain/a.ts', `import { readFileSync } from 'node:fs';`, 1);
    finds(domainViolations, 'server/domain/a.ts', `const t = Date.now();`, 1);
    finds(domainViolations, 'server/domain/a.ts', `const t = new Date();`, 1);
    finds(domainViolations, 'server/domain/a.ts', `const r = Math.random();`, 1);
    finds(domainViolations, 'server/domain/a.ts', `async function f() { await g(); }`, 1);
    finds(domainViolations, 'server/domain/a.ts', `const t = new Date(0); const m = Math.max(1, 2);`, 0);
    finds(domainViolations, 'server/domain/a.ts', `import type { Readable } from 'node:stream';`, 0);
  });

  test('notices long files, empty names and default exports', () => {
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
});

function partOf(path: string): Part | undefined {
  if (isTest(path)) return parts.find((part) => part.name === 'tests');
  if (/\.config\.ts$/.test(path)) return parts.find((part) => part.name === 'scripts');
  const fitting = parts.flatMap((part) =>
    part.paths.filter((prefix) => isBelow(path, prefix)).map((prefix) => ({ part, prefix })),
  );
  return fitting.toSorted((a, b) => b.prefix.length - a.prefix.length)[0]?.part;
}

function partViolations(file: SourceFile): string[] {
  const part = partOf(file.path);
  if (!part) return [`${file.path} has no line in the table of parts`];
  return importsOf(file).flatMap((found) => {
    if (found.path === null || part.mayImport === 'everything') return [];
    const target = partOf(found.path);
    if (target === undefined) return [`${at(file, found)} leads to no part of the table`];
    const isAllowed =
      target === part ||
      part.mayImport.includes(target.name) ||
      (found.isTypeOnly && part.mayImportTypesOf?.includes(target.name));
    return isAllowed ? [] : [`${at(file, found)}: ${part.name} may not import ${target.name}`];
  });
}

function packageViolations(file: SourceFile): string[] {
  if (partOf(file.path)?.mayImport === 'everything') return [];
  return importsOf(file).flatMap((found) => {
    const wall = packageWalls.find((candidate) => candidate.packages.some((name) => isPackage(found.specifier, name)));
    if (wall === undefined || wall.onlyIn.some((place) => isBelow(file.path, place))) return [];
    return [`${at(file, found)} belongs into ${wall.onlyIn.join(' or ')}`];
  });
}

function nodeInContract(file: SourceFile): string[] {
  if (!isBelow(file.path, 'contract') || isTest(file.path)) return [];
  return importsOf(file)
    .filter((found) => found.specifier.startsWith('node:'))
    .map((found) => at(file, found));
}

function environmentViolations(file: SourceFile): string[] {
  if (partOf(file.path)?.mayImport === 'everything' || environmentReaders.includes(file.path)) return [];
  const found = importsOf(file)
    .filter((candidate) => /^(node:)?process$/.test(candidate.specifier))
    .map((candidate) => at(file, candidate));
  walkSyntax(file.path, file.text, (node) => {
    const source = file.text.slice(node.start, node.end as number);
    const isRead = node.type === 'MemberExpression' && /^process\s*(\?\.|\.|\[)\s*['"]?env\b['"]?\]?$/.test(source);
    const isTaken = node.type === 'VariableDeclarator' && /\benv\b.*=\s*process$/s.test(source);
    if (isRead || isTaken) found.push(`${file.path}:${lineAt(file.text, node.start)} reads the environment`);
  });
  return found;
}

function domainViolations(file: SourceFile): string[] {
  if (partOf(file.path)?.name !== 'domain') return [];
  const found = importsOf(file)
    .filter((candidate) => worldlyModules.test(candidate.specifier))
    .map((candidate) => at(file, candidate));
  walkSyntax(file.path, file.text, (node) => {
    const source = file.text.slice(node.start, node.end as number);
    const isWorldly =
      node.type === 'AwaitExpression' ||
      (node.type === 'NewExpression' && /^new Date(\(\s*\))?$/.test(source)) ||
      (node.type === 'MemberExpression' &&
        /^(Date\.now|Math\.random|performance\.now|crypto\.random\w+)$/.test(source));
    if (isWorldly) found.push(`${file.path}:${lineAt(file.text, node.start)}: ${source.slice(0, 60)}`);
  });
  return found;
}

function lengthViolations(file: SourceFile): string[] {
  const lineCount = file.text.trimEnd().split('\n').length;
  return lineCount > lineLimit && !mayBeLonger.test(file.path) ? [`${file.path} has ${lineCount} lines`] : [];
}

function nameViolations(file: SourceFile): string[] {
  const stems = file.path.split('/').map((name) => name.replace(/(\.(test|suite|kit|fixture|config))?\.tsx?$/, ''));
  return stems.some((stem) => emptyName.test(stem)) ? [`${file.path}: the name says nothing`] : [];
}

function defaultExportViolations(file: SourceFile): string[] {
  // Declarations of what a bundler makes of other files have no other way.
  if (file.path.endsWith('.d.ts')) return [];
  if (mayExportDefault.test(file.path)) return [];
  const found: string[] = [];
  walkSyntax(file.path, file.text, (node) => {
    const exported = node.exported as { name?: string } | undefined;
    const isDefault =
      node.type === 'ExportDefaultDeclaration' || (node.type === 'ExportSpecifier' && exported?.name === 'default');
    if (isDefault) found.push(`${file.path}:${lineAt(file.text, node.start)} exports a default`);
  });
  return found;
}

function importsOf(file: SourceFile): Import[] {
  return readImports(file.path, file.text);
}

function isTest(path: string): boolean {
  return /\.(test|suite|kit|fixture)\.tsx?$/.test(path);
}

function isBelow(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

/** `kysely` also stands for `kysely/helpers`, `node:x` also for `x`, `@aws-sdk/*` for every package of that scope. */
function isPackage(specifier: string, name: string): boolean {
  if (name.endsWith('*')) return specifier.startsWith(name.slice(0, -1));
  return isBelow(specifier, name) || `node:${specifier}` === name;
}

function at(file: SourceFile, found: Import): string {
  return `${file.path}:${found.line} imports ${found.specifier}`;
}
