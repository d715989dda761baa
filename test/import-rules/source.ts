// The parsed source files: each is parsed once and then passed to all rules.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Import, importOf, parseFile, type SyntaxNode, walkSyntax } from '#scripts/imports.ts';
import { listFiles, repositoryRoot } from '#scripts/source-files.ts';
import { codeFolders, type Part, parts } from './tables.ts';

export interface SourceFile {
  path: string;
  text: string;
}

export interface ReadFile extends SourceFile {
  imports: Import[];
}

/** A sentence that must be true, and a check for violations. */
export interface Rule {
  sentence: string;
  ofFile?(file: ReadFile): string[];
  ofImport?(found: Import, file: SourceFile): string | null;
  /** Null, or the problem with this node, without path and line. Receives nodes of `nodeTypes`. */
  ofNode?(node: SyntaxNode, file: SourceFile): string | null;
  /** There are millions of nodes: each rule receives only its types. */
  nodeTypes?: readonly string[];
  /** For all files together. */
  ofAll?(files: ReadFile[]): string[];
}

export function readRepository(): SourceFile[] {
  return listFiles(repositoryRoot, codeFolders)
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(repositoryRoot, path), 'utf8') }));
}

export function findViolations(files: SourceFile[], rules: Rule[]): Map<Rule, string[]> {
  const found = new Map<Rule, string[]>(rules.map((rule) => [rule, []]));
  const read = files.map((file) => readFile(file, found));
  for (const [rule, sentences] of found) {
    for (const file of read) {
      sentences.push(...(rule.ofFile?.(file) ?? []));
      for (const one of file.imports) {
        const sentence = rule.ofImport?.(one, file);
        if (sentence) sentences.push(`${at(file, one)}: ${sentence}`);
      }
    }
    sentences.push(...(rule.ofAll?.(read) ?? []));
  }
  return found;
}

/** Walks the syntax of a file once for all rules about nodes. The tree is not kept. */
function readFile(file: SourceFile, found: Map<Rule, string[]>): ReadFile {
  const imports: Import[] = [];
  const byType = new Map<string, [Rule, string[]][]>();
  for (const entry of found)
    for (const type of entry[0].nodeTypes ?? []) byType.set(type, [...(byType.get(type) ?? []), entry]);
  walkSyntax(parseFile(file.path, file.text), (node) => {
    const one = importOf(node, file.path, file.text);
    if (one !== null) imports.push(one);
    for (const [rule, sentences] of byType.get(node.type) ?? []) {
      const sentence = rule.ofNode?.(node, file);
      if (sentence) sentences.push(`${file.path}:${lineOf(node, file)} ${sentence}`);
    }
  });
  return { ...file, imports };
}

const knownParts = new Map<string, Part | undefined>();

/** Cached, because rules ask millions of times. */
export function partOf(path: string): Part | undefined {
  if (!knownParts.has(path)) knownParts.set(path, findPart(path));
  return knownParts.get(path);
}

function findPart(path: string): Part | undefined {
  if (isTest(path)) return parts.find((part) => part.name === 'tests');
  if (/\.config\.ts$/.test(path)) return parts.find((part) => part.name === 'scripts');
  const fitting = parts.flatMap((part) =>
    part.paths.filter((prefix) => isBelow(path, prefix)).map((prefix) => ({ part, prefix })),
  );
  return fitting.toSorted((a, b) => b.prefix.length - a.prefix.length)[0]?.part;
}

/** Tests, scripts and the benchmark. */
export function isOutsideProduct(path: string): boolean {
  return partOf(path)?.mayImport === 'everything';
}

export function isTest(path: string): boolean {
  return /\.(test|suite|kit|fixture)\.tsx?$/.test(path);
}

export function isBelow(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

export function at(file: SourceFile, found: Import): string {
  return `${file.path}:${found.line} imports ${found.specifier}`;
}

export function sourceOf(node: SyntaxNode, file: SourceFile): string {
  return file.text.slice(node.start, node.end);
}

function lineOf(node: SyntaxNode, file: SourceFile): number {
  return file.text.slice(0, node.start).split('\n').length;
}
