// `npm run bench:plot -- result.json […]`: draws the series of one or more runs of the benchmark, one SVG file each. Runs of
// different machines share a picture.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type PlottedRun, plot } from '../bench/plot.ts';
import { repositoryRoot } from './source-files.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: join(repositoryRoot, 'docs/benchmark') } },
});
if (positionals.length === 0) {
  console.error(
    'npm run bench:plot -- [--out FOLDER] result.json […], made with "npm run bench -- growth --json result.json"',
  );
  process.exit(2);
}
const runs = positionals.map((path): PlottedRun => ({ series: [], ...JSON.parse(readFileSync(path, 'utf8')) }));
const names = new Set(runs.flatMap((run) => run.series.map((series) => series.name)));
if (names.size === 0) {
  console.error('these runs have no series: the part "growth" measures them');
  process.exit(1);
}
mkdirSync(values.out, { recursive: true });
for (const name of names) {
  const path = join(values.out, `${name}.svg`);
  writeFileSync(path, plot(name, runs));
  console.log(path);
}
