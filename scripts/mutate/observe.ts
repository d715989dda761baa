// Which test files run the place of a fault, and how long each takes: all of them are run once without a fault, and what
// was found is kept for as long as nothing in the code changes.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseFile, type SyntaxNode, walkSyntax } from '../imports.ts';
import type { Fault } from './plant.ts';

/** Which files of the repository each file imports; types do not count. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** What one lane process has to do. */
export interface LaneJob {
  paths: string[];
  /** By file; null when nobody wants to know. */
  places: Record<string, Place[]> | null;
  /** Gets a line for each test file. */
  reportPath: string;
}

export interface Place {
  offset: number;
  isInFunction: boolean;
}

/** What is known of a test file. */
export interface Observed {
  path: string;
  durationMs: number;
  /** By file of the code, offsets of the places that it ran. */
  reached: Record<string, number[]>;
}

/** Where faults can be, by file. */
export function placesOf(faults: Fault[], textOf: (path: string) => string): Record<string, Place[]> {
  const places: Record<string, Place[]> = {};
  for (const [path, ofFile] of Map.groupBy(faults, (fault) => fault.path)) {
    const functions = functionsOf(path, textOf(path));
    const offsets = [...new Set(ofFile.map(({ start }) => start))];
    places[path] = offsets.map((offset) => ({
      offset,
      isInFunction: functions.some(({ start, end }) => start < offset && offset < end),
    }));
  }
  return places;
}

function functionsOf(path: string, text: string): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  walkSyntax(parseFile(path, text), (node) => {
    if (/^(Function(Declaration|Expression)|ArrowFunctionExpression)$/.test(node.type)) found.push(node);
  });
  return found;
}

/** From the last time if the code is the same, otherwise by running all of it. */
export async function observe(
  { keepIn, graph, textOf }: { keepIn: string; graph: ImportGraph; textOf: (path: string) => string },
  run: () => Promise<Observed[]>,
): Promise<Observed[]> {
  const digest = createHash('sha256');
  for (const path of [...graph.keys()].toSorted()) digest.update(`${path}\n${textOf(path)}\n`);
  const key = digest.digest('hex');
  const path = join(keepIn, 'mutate.json');
  const kept = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as { key: string; found: Observed[] }) : null;
  if (kept?.key === key) return kept.found;
  const found = await run();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ key, found }));
  return found;
}
