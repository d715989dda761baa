// Parses the imports of TypeScript files and resolves them within the repository.
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync } from 'vite';

export interface Import {
  /** As written: `#server/db/engine/connect.ts`, `../x.ts`, `kysely`, `node:fs`. */
  specifier: string;
  /** The imported file, relative to the root; null for packages and Node's own modules. */
  path: string | null;
  /** The exported names; empty if the whole module is imported. */
  names: string[];
  /** Erased before the program runs. */
  isTypeOnly: boolean;
  line: number;
}

export type SyntaxNode = { type: string; start: number; end: number; [key: string]: unknown };

/** Every static import, re-export, dynamic import and `import('…')` type of a file. Throws on a syntax error. */
export function readImports(path: string, text: string): Import[] {
  const found: Import[] = [];
  walkSyntax(parseFile(path, text), (node) => {
    const one = importOf(node, path, text);
    if (one !== null) found.push(one);
  });
  return found;
}

/** Null if the node is no import. */
export function importOf(node: SyntaxNode, path: string, text: string): Import | null {
  const specifier = specifierOf(node);
  if (specifier === null) return null;
  const isTypeOnly = node.importKind === 'type' || node.exportKind === 'type' || node.type === 'TSImportType';
  const target = resolveSpecifier(path, specifier);
  return { specifier, path: target, names: namesOf(node), isTypeOnly, line: lineAt(text, node.start) };
}

/** The syntax tree of a file. Throws on a syntax error. */
export function parseFile(path: string, text: string): SyntaxNode {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]!.message}`);
  return program as unknown as SyntaxNode;
}

/** Visits a node and every node below it, in the order of the text. */
export function walkSyntax(top: SyntaxNode, visit: (node: SyntaxNode) => void): void {
  const pending: unknown[] = [top];
  while (pending.length > 0) {
    const value = pending.pop();
    if (Array.isArray(value)) for (let i = value.length - 1; i >= 0; i -= 1) pending.push(value[i]);
    else if (typeof value === 'object' && value !== null) {
      if (typeof (value as SyntaxNode).type === 'string') visit(value as SyntaxNode);
      for (const child of Object.values(value).reverse()) pending.push(child);
    }
  }
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** The files and all that they import, directly or not. Type imports do not count. */
export function reachableFiles(root: string, paths: string[]): Set<string> {
  const reached = new Set<string>();
  const pending = [...paths];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (reached.has(path) || !existsSync(join(root, path))) continue;
    reached.add(path);
    if (!/\.tsx?$/.test(path)) continue;
    for (const found of readImports(path, readFileSync(join(root, path), 'utf8'))) {
      if (found.path !== null && !found.isTypeOnly) pending.push(found.path);
    }
  }
  return reached;
}

function specifierOf(node: SyntaxNode): string | null {
  const isImport = /^(Import(Declaration|Expression)|Export(Named|All)Declaration|TSImportType)$/.test(node.type);
  if (!isImport) return null;
  const source = node.source as SyntaxNode | null | undefined;
  return source?.type === 'Literal' && typeof source.value === 'string' ? source.value : null;
}

function namesOf(node: SyntaxNode): string[] {
  const specifiers = (node.specifiers ?? []) as { imported?: { name?: string }; local?: { name?: string } }[];
  const isExport = node.type.startsWith('Export');
  const qualifier = node.qualifier as { name?: string } | null | undefined;
  if (qualifier?.name !== undefined) return [qualifier.name];
  return specifiers.flatMap((one) => (isExport ? one.local?.name : one.imported?.name) ?? []);
}

/** `#part/rest` means `part/rest` (the `imports` of package.json); relative paths start at the importing file. */
function resolveSpecifier(importer: string, specifier: string): string | null {
  if (specifier.startsWith('#')) return specifier.slice(1);
  if (specifier.startsWith('.')) return posix.normalize(posix.join(posix.dirname(importer), specifier));
  return null;
}
