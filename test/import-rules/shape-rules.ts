// Rules about the shape of code: length of files and functions, names, and access.
import type { SyntaxNode } from '#scripts/imports.ts';
import { walkSyntax } from '#scripts/imports.ts';
import { isBelow, isOutsideProduct, isTest, partOf, type Rule, readRepository, sourceOf } from './source.ts';
import {
  columnReaders,
  emptyName,
  environmentReaders,
  limits,
  mayBeLonger,
  mayExportDefault,
  migrations,
  schemaFile,
  testCalls,
  worldlyModules,
} from './tables.ts';

/** Without a body they are declarations. */
const functions = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'] as const;

/** Columns of two words or more, because one word may have another meaning. */
const columns = readColumns();

export const shapeRules: Rule[] = [
  {
    sentence: 'the environment is read in one place',
    ofImport(found, file) {
      if (mayReadEnvironment(file.path)) return null;
      return /^(node:)?process$/.test(found.specifier) ? 'reads the environment' : null;
    },
    nodeTypes: ['MemberExpression', 'VariableDeclarator'],
    ofNode(node, file) {
      if (mayReadEnvironment(file.path)) return null;
      const source = sourceOf(node, file);
      const isRead = node.type === 'MemberExpression' && /^process\s*(\?\.|\.|\[)\s*['"]?env\b['"]?\]?$/.test(source);
      const isTaken = node.type === 'VariableDeclarator' && /\benv\b.*=\s*process$/s.test(source);
      return isRead || isTaken ? 'reads the environment' : null;
    },
  },
  {
    sentence: 'the domain has no input, no output, no clock, no randomness and nothing asynchronous',
    ofImport(found, file) {
      if (partOf(file.path)?.name !== 'domain') return null;
      return worldlyModules.test(found.specifier) ? 'rules have no use for it' : null;
    },
    nodeTypes: ['AwaitExpression', 'NewExpression', 'MemberExpression'],
    ofNode(node, file) {
      if (partOf(file.path)?.name !== 'domain') return null;
      const source = () => sourceOf(node, file);
      const isWorldly =
        node.type === 'AwaitExpression' ||
        (node.type === 'NewExpression' && /^new Date(\(\s*\))?$/.test(source())) ||
        (node.type === 'MemberExpression' &&
          /^(Date\.now|Math\.random|performance\.now|crypto\.random\w+)$/.test(source()));
      return isWorldly ? source().slice(0, 60) : null;
    },
  },
  {
    sentence: `no file is longer than ${limits.linesOfFile} lines`,
    ofFile({ path, text }) {
      const lineCount = text.trimEnd().split('\n').length;
      return lineCount > limits.linesOfFile && !mayBeLonger.test(path) ? [`${path} has ${lineCount} lines`] : [];
    },
  },
  {
    // Counts from the first line to the closing brace, including inner functions. Blocks of tests and migrations do not
    // count.
    sentence: `no function is longer than ${limits.linesOfFunction} lines`,
    nodeTypes: functions,
    ofNode(node, file) {
      if (node.body === null || isBelow(file.path, migrations)) return null;
      const lineCount = sourceOf(node, file).split('\n').length;
      if (lineCount <= limits.linesOfFunction || isBlockOfTests(node, file.path)) return null;
      return `a function of ${lineCount} lines`;
    },
  },
  {
    sentence: `no function takes more than ${limits.parameters} parameters`,
    nodeTypes: functions,
    ofNode(node) {
      if (node.body === null) return null;
      const count = (node.params as unknown[]).length;
      return count > limits.parameters ? `a function of ${count} parameters` : null;
    },
  },
  {
    sentence: 'columns are known by their names in the database folder only',
    nodeTypes: ['MemberExpression', 'ObjectPattern'],
    ofNode(node, file) {
      if (!columnReaders.some((place) => isBelow(file.path, place)) || isOutsideProduct(file.path)) return null;
      const column = takenNames(node).find((name) => columns.has(name));
      return column === undefined ? null : `reads the column ${column}`;
    },
  },
  {
    sentence: 'no file or folder is called utils, helpers, common, manager, service or index',
    ofFile({ path }) {
      const stems = path.split('/').map((name) => name.replace(/(\.(test|suite|kit|fixture|config))?\.tsx?$/, ''));
      return stems.some((stem) => emptyName.test(stem)) ? [`${path}: the name says nothing`] : [];
    },
  },
  {
    sentence: 'things are exported by name',
    nodeTypes: ['ExportDefaultDeclaration', 'ExportSpecifier'],
    ofNode(node, { path }) {
      // A bundler's declarations have no alternative.
      if (path.endsWith('.d.ts') || mayExportDefault.test(path)) return null;
      const exported = node.exported as { name?: string } | null | undefined;
      const isDefault =
        node.type === 'ExportDefaultDeclaration' || (node.type === 'ExportSpecifier' && exported?.name === 'default');
      return isDefault ? 'exports a default' : null;
    },
  },
];

function readColumns(): Set<string> {
  const schema = readRepository().filter(({ path }) => schemaFile.test(path));
  return new Set(
    schema.flatMap(({ text }) => [...text.matchAll(/^ {2}([a-z0-9]+(?:_[a-z0-9]+)+):/gm)].map(([, name]) => name!)),
  );
}

/** The properties that a node reads: `a.name`, `const { name } = a`. */
function takenNames(node: SyntaxNode): string[] {
  const plainName = (key: unknown) => (key as { name?: string } | undefined)?.name ?? [];
  if (node.type === 'MemberExpression') return node.computed === true ? [] : [plainName(node.property)].flat();
  return (node.properties as { key?: unknown; computed?: boolean }[]).flatMap(({ key, computed }) =>
    computed === true ? [] : plainName(key),
  );
}

function mayReadEnvironment(path: string): boolean {
  return isOutsideProduct(path) || environmentReaders.includes(path);
}

function isBlockOfTests(node: SyntaxNode, path: string): boolean {
  if (!isTest(path) && !isBelow(path, 'test')) return false;
  let found = false;
  walkSyntax(node, (inner) => {
    const callee =
      inner.type === 'CallExpression' ? (inner.callee as { name?: string; object?: { name?: string } }) : {};
    const name = callee.name ?? callee.object?.name; // `test(…)`, `test.skip(…)`
    if (name !== undefined && testCalls.test(name)) found = true;
  });
  return found;
}
