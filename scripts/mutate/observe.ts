// Which test files run the place of a fault, and how long each takes: all of them are run once without a fault, and what
// was found is kept beside the packages; delete node_modules/.cache/mutate.jsonl to begin anew.
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
  /** Also for files that pass without PostgreSQL and S3. */
  withServers: boolean;
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

interface Kept {
  /** By file of the repository: what it was when the tests were observed. */
  digests: Record<string, string>;
  found: Observed[];
}

/** Past this share of changed files everything is observed again. */
const mostChanged = 0.3;

/**
 * What is known from the last time stays known: only test files that are new or were changed are run. Of a file of the code
 * that has changed since, every place counts as run by the tests that ran any of it. Both are good enough to choose tests
 * by, until much changes.
 * `run` adds a line for each test file to the report as soon as it is over, so that nothing is lost with a run that is
 * interrupted.
 */
export async function observe(
  { keepIn, graph, textOf, places }: Code,
  { tests, run }: { tests: string[]; run: (tests: string[], reportPath: string) => Promise<void> },
): Promise<Observed[]> {
  const path = join(keepIn, 'mutate.jsonl');
  const digests = Object.fromEntries([...graph.keys()].map((file) => [file, digestOf(textOf(file))]));
  const last = readKept(path);
  const isSame = (file: string) => last.digests[file] === digests[file];
  const changed = Object.keys(digests).filter((file) => !isSame(file));
  const isOld = changed.length > mostChanged * graph.size;
  const asBefore = last.found.filter((one) => tests.includes(one.path) && isSame(one.path));
  const known = isOld ? [] : asBefore.map((one) => widen(one, places, isSame));
  const missing = tests.filter((test) => !known.some((one) => one.path === test));
  if (changed.length === 0 && missing.length === 0) return known;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, [digests, ...known].map((line) => `${JSON.stringify(line)}\n`).join(''));
  if (missing.length > 0) await run(missing, path);
  return readKept(path).found;
}

/** A last line that is not whole was being written when the run was ended. */
function readKept(path: string): Kept {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
  const [digests, ...found] = lines.map((line) => JSON.parse(line));
  return { digests: digests ?? {}, found };
}

interface Code {
  /** A folder that lasts. */
  keepIn: string;
  graph: ImportGraph;
  textOf: (path: string) => string;
  places: Record<string, Place[]>;
}

function widen(one: Observed, places: Record<string, Place[]>, isSame: (file: string) => boolean): Observed {
  const reached = Object.entries(one.reached).map(([file, offsets]) => [
    file,
    isSame(file) ? offsets : (places[file] ?? []).map(({ offset }) => offset),
  ]);
  return { ...one, reached: Object.fromEntries(reached) };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}
