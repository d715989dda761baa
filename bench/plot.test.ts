import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type PlottedRun, plot } from './plot.ts';

describe('a plot of the benchmark', () => {
  const run = (arch: string, ys: number[], xs = [1, 10, 100]): PlottedRun => ({
    machine: `2 cores, ${arch}`,
    arch,
    isQuick: false,
    series: [
      {
        name: 'files',
        title: 'A message & its files',
        xLabel: 'files',
        yLabel: 'milliseconds',
        lines: [{ name: 'POST /message', points: ys.map((y, index) => ({ x: xs[index]!, y })) }],
      },
    ],
  });
  const heights = (svg: string) =>
    [...svg.matchAll(/<circle cx="[\d.]+" cy="([\d.]+)"/g)].map((found) => Number(found[1])).slice(0, 3);

  test('it names what it shows, both axes and the machine', () => {
    const svg = plot('files', [run('x64', [1, 2, 3])]);
    for (const words of ['A message &amp; its files', '>files<', '>milliseconds<', '2 cores, x64', '>POST /message<'])
      assert.ok(svg.includes(words), words);
    assert.ok(svg.includes('prefers-color-scheme: dark'));
  });

  test('more is higher, and nearby values stand above zero', () => {
    const [low, middle, high] = heights(plot('files', [run('x64', [1, 2, 4])])) as [number, number, number];
    assert.ok(low > middle && middle > high);
    // From zero: twice the value is twice as far from the axis, at 300.
    assert.ok(Math.abs((300 - middle) / (300 - low) - 2) < 0.01);
  });

  test('values far apart have the same distance for the same factor', () => {
    const [low, middle, high] = heights(plot('files', [run('x64', [1, 10, 100])])) as [number, number, number];
    assert.ok(Math.abs(low - middle - (middle - high)) < 0.2);
  });

  test('two machines share a picture, and are told apart', () => {
    const svg = plot('files', [run('x64', [1, 2, 3]), run('arm64', [2, 3, 4])]);
    assert.ok(svg.includes('POST /message (x64)') && svg.includes('POST /message (arm64)'));
    assert.equal(svg.match(/class="line c0 other"/g)?.length, 2);
  });

  test('a series of equal or single values is drawn too', () => {
    for (const ys of [[5, 5, 5], [5]]) assert.doesNotMatch(plot('files', [run('x64', ys)]), /NaN|Infinity/);
  });

  test('a quick run says so', () => {
    assert.match(plot('files', [{ ...run('x64', [1, 2, 3]), isQuick: true }]), /not to be quoted/);
  });
});
