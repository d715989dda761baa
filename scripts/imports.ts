// Reads what a TypeScript file imports, with a real parser, and where inside this repository an import leads.
// Knows nothing of rules: the dependency rule is `test/walls.test.ts`, the choice of test servers `test-select.ts`.
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync } from 'vite';

export interface Import {
  /** As written: `#server/db/engine/connect.ts`, `../x.ts`, `fastify`, `node:fs`. */
  specifier: string;
  /** The file it leads to, relative to the root; null for packages and for what Node has built in. */
  path: string | null;
  /** Erased before the program runs. */
  isTypeOnly: boolean;
  line: number;
}

type SyntaxNode = { type: string; start: number; [key: string]: unknown };

/** Every static import, re-export, dynamic import and `import('…')` type of a file. Throws on a syntax error. */
export function readImports(path: string, text: string): Import[] {
  const found: Import[] = [];
  walkSyntax(path, text, (node) => {
    const specifier = specifierOf(node);
    if (specifier === null) return;
    const isTypeOnly = node.importKind === 'type' || node.exportKind === 'type' || node.type === 'TSImportType';
    found.push({ specifier, path: resolveSpecifier(path, specifier), isTypeOnly, line: lineAt(text, node.start) });
  });
  return found;
}

/** Visits every node of a file's syntax tree. */
export function walkSyntax(path: string, text: string, visit: (node: SyntaxNode) => void): void {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]!.message}`);
  const pending: unknown[] = [program];
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

/** All files of the repository that the given ones reach through imports, themselves included. Types do not count. */
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

/** `#part/rest` means `part/rest` (the `imports` of package.json); relative paths start at the importing file. */
function resolveSpecifier(importer: string, specifier: string): string | null {
  if (specifier.startsWith('#')) return specifier.slice(1);
  if (specifier.startsWith('.')) return posix.normalize(posix.join(posix.dirname(importer), specifier));
  return null;
}
