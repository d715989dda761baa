// A process that runs test files one after the other: `node lane.ts <job>`. Asked about places in the code, it also says
// after each file which of them the file has run.
import { appendFileSync, readFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector/promises';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { LaneJob, Observed, Place } from './observe.ts';

const job = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as LaneJob;
const session = new Session();
if (job.places !== null) {
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
}
for (const path of job.paths) {
  const startedAt = performance.now();
  await test(`§ ${path}`, () => {});
  try {
    await import(pathToFileURL(resolve(path)).href);
  } catch (error) {
    void test('the file loads', () => {
      throw error;
    });
  }
  // Tests run in the order in which they were written down, so this one resolves when those of the file are over.
  await test(`§ end of ${path}`, () => {});
  if (job.places === null) continue;
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const observed: Observed = { path, durationMs: performance.now() - startedAt, reached: reachedPlaces(result) };
  appendFileSync(job.reportPath, `${JSON.stringify(observed)}\n`);
}

/** By file, the offsets that were run since the last time; stripping types keeps offsets as they are. */
function reachedPlaces(scripts: Profiler.ScriptCoverage[]): Record<string, number[]> {
  const base = `${pathToFileURL(process.cwd()).href}/`;
  const reached: Record<string, number[]> = {};
  for (const script of scripts) {
    const path = script.url.startsWith(base) ? script.url.slice(base.length) : '';
    const places = job.places?.[path];
    if (places === undefined) continue;
    const found = places.filter((place) => isReached(script.functions, place)).map(({ offset }) => offset);
    if (found.length > 0) reached[path] = found;
  }
  return reached;
}

/** What is outside of functions runs once, when it is loaded: there it counts that any function of the file was run. */
function isReached(functions: Profiler.FunctionCoverage[], { offset, isInFunction }: Place): boolean {
  // What begins with the file is the file itself. Whatever was not run may be missing.
  const inside = functions.filter((one) => one.ranges[0]!.startOffset > 0);
  if (!isInFunction) return inside.some((one) => one.ranges[0]!.count > 0);
  const [innermost] = inside
    .flatMap((one) => one.ranges)
    .filter(({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset)
    .toSorted((a, b) => a.endOffset - a.startOffset - (b.endOffset - b.startOffset));
  return innermost !== undefined && innermost.count > 0;
}
