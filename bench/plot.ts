// Draws a series as SVG text, by hand: two axes, a line for each measure of each run, readable on light and dark pages.
// Knows nothing about files.
import type { Line, Series } from './series.ts';

/** One run of the benchmark, as its JSON has it. */
export interface PlottedRun {
  machine: string;
  arch: string;
  isQuick: boolean;
  series: Series[];
}

const size = { width: 680, height: 400 };
const area = { left: 76, right: 656, top: 76, bottom: 300 };
/** Values further apart than this are shown on a logarithmic axis, on which steady growth is a straight line. */
const logarithmicFrom = 20;
const colours = 4;

/** The series of this name from all runs that have it, in one picture. */
export function plot(name: string, runs: PlottedRun[]): string {
  const having = runs.flatMap((run) => {
    const series = run.series.find((one) => one.name === name);
    return series === undefined ? [] : [{ run, series }];
  });
  const { title, xLabel, yLabel } = having[0]!.series;
  const lines = having.flatMap(({ run, series }, runIndex) =>
    series.lines.map((line, index) => ({
      ...line,
      name: having.length === 1 ? line.name : `${line.name} (${run.arch})`,
      style: `line c${index % colours}${runIndex === 0 ? '' : ' other'}`,
    })),
  );
  const x = axisOf(
    lines.flatMap(({ points }) => points.map((point) => point.x)),
    [area.left + 16, area.right - 16],
    'fitting',
  );
  const y = axisOf(
    lines.flatMap(({ points }) => points.map((point) => point.y)),
    [area.bottom, area.top],
    'from zero',
  );
  const xTicks = [...new Set(lines.flatMap(({ points }) => points.map((point) => point.x)))];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${escaped(title)}">`,
    style,
    `<rect class="back" width="${size.width}" height="${size.height}"/>`,
    text(area.left, 28, title, 'title'),
    ...having.map(({ run }, index) => text(area.left, 46 + index * 14, describe(run), 'small')),
    ...y.ticks.flatMap((tick) => [
      `<path class="grid" d="M${area.left} ${y.at(tick)}H${area.right}"/>`,
      text(area.left - 8, y.at(tick) + 4, shown(tick), 'end'),
    ]),
    ...xTicks.map((tick) => text(x.at(tick), area.bottom + 18, shown(tick), 'middle')),
    text((area.left + area.right) / 2, area.bottom + 38, xLabel, 'middle'),
    `<text class="middle" transform="translate(20 ${(area.top + area.bottom) / 2}) rotate(-90)">${escaped(yLabel)}</text>`,
    `<path class="axis" d="M${area.left} ${area.top}V${area.bottom}H${area.right}"/>`,
    ...lines.flatMap((line, index) => [drawn(line, x, y), ...legend(line, index)]),
    '</svg>',
    '',
  ].join('\n');
}

interface Axis {
  at(value: number): number;
  ticks: number[];
}

function axisOf(values: number[], [start, end]: [number, number], kind: 'fitting' | 'from zero'): Axis {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const isLogarithmic = least > 0 && most / least > logarithmicFrom;
  // A measure is shown from zero, or from a whole power of ten where there is no zero.
  const isLoose = kind === 'from zero';
  const first = isLogarithmic && isLoose ? 10 ** Math.floor(Math.log10(least)) : isLoose ? 0 : least;
  const step = isLogarithmic ? 10 : roundStep(most / 4);
  const last = !isLoose ? most : isLogarithmic ? 10 ** Math.ceil(Math.log10(most)) : Math.ceil(most / step) * step;
  const scaled = (value: number) => (isLogarithmic ? Math.log10(value) : value);
  const span = scaled(last) - scaled(first) || 1;
  const ticks: number[] = [];
  for (let tick = first; tick <= last * 1.001; tick = isLogarithmic ? tick * step : tick + step) ticks.push(tick);
  return { ticks, at: (value) => rounded(start + ((scaled(value) - scaled(first)) / span) * (end - start)) };
}

/** 1, 2 or 5 of some power of ten, not below the value. */
function roundStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].find((factor) => factor * power >= value)! * power;
}

function drawn({ points, style: lineStyle }: Line & { style: string }, x: Axis, y: Axis): string {
  const places = points.map((point) => `${x.at(point.x)} ${y.at(point.y)}`);
  const dots = places.map((place) => `<circle cx="${place.replace(' ', '" cy="')}" r="3"/>`);
  return `<g class="${lineStyle}"><path d="M${places.join('L')}"/>${dots.join('')}</g>`;
}

/** Below the axis, two beside each other. */
function legend({ name, style: lineStyle }: { name: string; style: string }, index: number): string[] {
  const [left, top] = [area.left + (index % 2) * 290, area.bottom + 60 + (index >> 1) * 16];
  return [
    `<g class="${lineStyle}"><path d="M${left} ${top - 4}h24"/><circle cx="${left + 12}" cy="${top - 4}" r="3"/></g>`,
    text(left + 32, top, name, ''),
  ];
}

function describe({ machine, isQuick }: PlottedRun): string {
  return isQuick ? `${machine}; a quick run, not to be quoted` : machine;
}

function text(x: number, y: number, words: string, kind: string): string {
  return `<text x="${rounded(x)}" y="${rounded(y)}"${kind === '' ? '' : ` class="${kind}"`}>${escaped(words)}</text>`;
}

function shown(value: number): string {
  return Number(value.toPrecision(6)).toLocaleString('en');
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** Colours that differ in lightness too; those of the dark page are lighter. A second run is dashed. */
const style = `<style>
text { font: 12px system-ui, sans-serif; fill: #1f2328; }
.title { font-size: 16px; font-weight: 600; } .small { font-size: 11px; fill: #59636e; }
.end { text-anchor: end; } .middle { text-anchor: middle; }
.back { fill: #ffffff; } .grid { stroke: #d1d9e0; } .axis { stroke: #59636e; fill: none; }
.line path { fill: none; stroke: var(--c); stroke-width: 2; } .line circle { fill: var(--c); }
.other path { stroke-dasharray: 6 4; }
.c0 { --c: #0550ae; } .c1 { --c: #bc4c00; } .c2 { --c: #1a7f37; } .c3 { --c: #8250df; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; } .small { fill: #9198a1; }
  .back { fill: #0d1117; } .grid { stroke: #30363d; } .axis { stroke: #9198a1; }
  .c0 { --c: #79c0ff; } .c1 { --c: #ffa657; } .c2 { --c: #7ee787; } .c3 { --c: #d2a8ff; }
}
</style>`;
