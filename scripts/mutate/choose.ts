// Which faults are tried, and with which tests: a sample that is the same for the same seed, and for each fault the test
// files that run its place, those that know it best first. Pure.
import { posix } from 'node:path';
import type { ImportGraph, Observed } from './observe.ts';
import { type Fault, faultKinds } from './plant.ts';

/** Every kind in turn, so that what there is most of does not crowd out the rest. */
export function chooseFaults(faults: Fault[], count: number, seed: number): Fault[] {
  const random = randomFrom(seed);
  const piles = faultKinds.map((kind) =>
    shuffled(
      faults.filter((fault) => fault.kind === kind),
      random,
    ),
  );
  const chosen: Fault[] = [];
  while (chosen.length < count && piles.some((pile) => pile.length > 0)) {
    for (const pile of piles) {
      const fault = pile.pop();
      if (fault !== undefined && chosen.length < count) chosen.push(fault);
    }
  }
  return chosen;
}

function shuffled<Item>(items: Item[], random: () => number): Item[] {
  const result = [...items];
  for (let at = result.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [result[at], result[other]] = [result[other]!, result[at]!];
  }
  return result;
}

/** Numbers from 0 to 1 that look random (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A place that most tests run is shown to those that fit it best first, for this long. */
const budgetMs = 90_000;
/** Of test files that are not known to run the place. */
const mostGuesses = 12;

/** Test files that can be tried one after the other: they need no browser, kill nothing and do not look at the repository. */
export function isTried(file: string): boolean {
  const isLeftOut = /e2e\/|^(scripts|web|bench|test\/(faults|operations|machines))\/|^test\/[^/]+\.test\.ts$/.test(
    file,
  );
  return /\.test\.ts$/.test(file) && !isLeftOut;
}

/**
 * Test files that start the server or the command line: they run places that no observation sees, from the sources with
 * the fault.
 */
export function startsProgram(file: string): boolean {
  return /^test\/(faults|operations|cli)\/.*\.test\.ts$/.test(file);
}

/** The command line sends with the engine of `transfer/`, in a process of its own. */
const sendingPrograms = /^test\/cli\/(sending|transcripts)\.test\.ts$/;

/** Those that start it in every way there is, and give it every command. */
const generalPrograms = /\/(commands|mistakes|signals|workers)\.test\.ts$/;

/** Of them, for a fault that no other test runs, and for one that all others have missed: each takes up to a minute. */
const mostPrograms = { alone: 6, afterOthers: 2 };

export interface ChosenTests {
  best: string[];
  /** For what survives the best. */
  rest: string[];
  /** Nothing is known to run the place on one database: the files get the servers too, if there are any. */
  withServers: boolean;
}

/**
 * Test files for a fault, and those for what survives them: those that run its place, by how well they fit
 * (`fittingTests`), then the quick ones. Where none is known to, those that run anything of its file; for a file that only
 * other processes run, those that fit. At the end, the best of those that start the program.
 */
export function testsFor(fault: Fault, observed: Observed[], fitting: string[]): ChosenTests {
  const ofFile = observed.filter(({ reached }) => reached[fault.path] !== undefined);
  const ofPlace = ofFile.filter(({ reached }) => reached[fault.path]!.includes(fault.start));
  const reaching = ofPlace.length > 0 ? ofPlace : ofFile;
  const programs = fitting.filter(startsProgram);
  const guesses = fitting.filter((test) => !startsProgram(test)).slice(0, mostGuesses);
  if (reaching.length === 0)
    return { best: [...guesses, ...programs.slice(0, mostPrograms.alone)], rest: [], withServers: true };
  const rank = ({ path }: Observed) => (fitting.indexOf(path) + 1 || fitting.length + 1) - 1;
  const inOrder = reaching.toSorted((a, b) => rank(a) - rank(b) || a.durationMs - b.durationMs);
  let spentMs = 0;
  const isWithin = ({ durationMs }: Observed) => {
    spentMs += durationMs;
    return spentMs - durationMs < budgetMs;
  };
  const best = inOrder.filter(isWithin).map(({ path }) => path);
  const rest = inOrder.slice(best.length).map(({ path }) => path);
  const last = programs.slice(0, mostPrograms.afterOthers);
  const afterwards = [...new Set([...rest, ...last])].filter((test) => !best.includes(test));
  return { best, rest: afterwards, withServers: ofPlace.length === 0 };
}

/**
 * Test files that should know this file, by names alone: unit tests by imports, then tests of the service by imports, by
 * noun, and by the calls that lead to the file. Those that start the program come last.
 */
export function fittingTests(graph: ImportGraph, path: string, textOf: (path: string) => string): string[] {
  const distances = distancesTo(graph, path, 3);
  const isUnit = (test: string) => !test.startsWith('test/');
  const tests = [...graph.keys()].filter((file) => isTried(file) || startsProgram(file));
  const near = (test: string) => distances.get(test) ?? 99;
  const units = tests
    .filter((test) => isUnit(test) && near(test) <= 3)
    .toSorted((a, b) => near(a) - near(b) || likeness(b, path) - likeness(a, path) || a.localeCompare(b));
  const nouns = nounsNear(distances);
  const calls = callsNear(distances, textOf);
  const others = tests
    .filter((test) => !isUnit(test))
    .map((test) => ({
      test,
      score: near(test) === 1 ? 0 : 1 + scoreOf(test, nouns),
      mentions: mentionsIn(textOf(test), calls),
    }))
    .filter(({ test, score, mentions }) => score < 1 + unrelated || mentions > 0 || startsProgram(test));
  const byNoun = others.toSorted(
    (a, b) => a.score - b.score || b.mentions - a.mentions || a.test.localeCompare(b.test),
  );
  const byCalls = others.filter(({ mentions }) => mentions > 0).toSorted((a, b) => b.mentions - a.mentions);
  const service = [...new Set(inTurns(byNoun, byCalls).map(({ test }) => test))];
  const isSending = (test: string) => path.startsWith('transfer/') && sendingPrograms.test(test);
  const programs = byNoun
    .filter(({ test, score }) => startsProgram(test) && (score < 1 + unrelated || generalPrograms.test(test)))
    .map(({ test }) => test)
    .filter((test) => !isSending(test));
  return [...units, ...service.filter((test) => !startsProgram(test)), ...tests.filter(isSending), ...programs];
}

/** The best of each before the second best of either. */
function inTurns<Item>(first: Item[], second: Item[]): Item[] {
  return first.flatMap((item, index) => [item, ...second.slice(index, index + 1)]).concat(second.slice(first.length));
}

/** Names of the calls served by files that lead to this one. */
function callsNear(distances: ReadonlyMap<string, number>, textOf: (path: string) => string): Set<string> {
  const serving = [...distances].filter(([file, distance]) => file.startsWith('server/http/api/') && distance <= 2);
  return new Set(
    serving.flatMap(([file]) => [...textOf(file).matchAll(/\bserve\('(\w+)'/g)].map((match) => match[1]!)),
  );
}

function mentionsIn(text: string, calls: ReadonlySet<string>): number {
  return [...text.matchAll(/'(\w+)'/g)].filter((match) => calls.has(match[1]!)).length;
}

/** How many imports lead from each file to this one. */
function distancesTo(graph: ImportGraph, path: string, most: number): Map<string, number> {
  const distances = new Map([[path, 0]]);
  let edge = [path];
  for (let distance = 1; distance <= most; distance++) {
    const wanted = new Set(edge);
    edge = [];
    for (const [file, imports] of graph) {
      if (distances.has(file) || !imports.some((one) => wanted.has(one))) continue;
      distances.set(file, distance);
      edge.push(file);
    }
  }
  return distances;
}

const unrelated = 10;

/** Words of this file, then of those that import it, with how near they are. */
function nounsNear(distances: ReadonlyMap<string, number>): Map<string, number> {
  const nouns = new Map<string, number>();
  const inOrder = [...distances].filter(([file]) => !/\.test\.ts$/.test(file)).toSorted((a, b) => a[1] - b[1]);
  for (const [file, distance] of inOrder) {
    if (distance > 2) continue;
    for (const word of wordsOf(file)) if (!nouns.has(word)) nouns.set(word, distance);
  }
  return nouns;
}

/** A test that has the whole name of a file before one that shares a word with it. */
function scoreOf(test: string, nouns: ReadonlyMap<string, number>): number {
  const words = wordsOf(test);
  const scores = words.flatMap((word) => {
    const distance = nouns.get(word);
    return distance === undefined ? [] : [distance * 3 + (words.length === 1 ? 0 : 1)];
  });
  return Math.min(unrelated, ...scores);
}

/** Say nothing about what a file is for. */
const commonWords = new Set([
  'file',
  'app',
  'own',
  'page',
  'list',
  'all',
  'new',
  'part',
  'api',
  'test',
  'open',
  'schema',
]);
/** Folders that are layers, not nouns. */
const layers = new Set([
  'server',
  'actions',
  'db',
  'domain',
  'http',
  'lib',
  'pages',
  'test',
  'models',
  'kinds',
  'admin',
]);

function wordsOf(path: string): string[] {
  const name = posix.basename(path).replace(/\..*$/, '');
  const folder = posix.basename(posix.dirname(path));
  const words = [...name.split('-'), ...(layers.has(folder) ? [] : folder.split('-'))].map((word) =>
    word.replace(/ies$/, 'y').replace(/s$/, ''),
  );
  return [...new Set(words)].filter((word) => !commonWords.has(word));
}

function likeness(test: string, path: string): number {
  const words = new Set(wordsOf(path));
  return wordsOf(test).filter((word) => words.has(word)).length;
}
