// Progress bars on terminals of several widths.
import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { createOutput } from './output.ts';
import { createProgress, type ProgressLine } from './progress.ts';
import { readSettings } from './settings.ts';
import type { World } from './world.ts';

const mebibyte = 1024 * 1024;

/** The last picture after 10 seconds at 10 MiB/s. */
function pictureAt(columns: number, lines: ProgressLine[]): string[] {
  let now = 0;
  const parts: string[] = [];
  const stderr = new PassThrough().on('data', (part) => parts.push(String(part)));
  const world: World = {
    args: [],
    env: { NO_COLOR: '1' },
    cwd: '/',
    home: '/nowhere',
    hostName: '',
    platform: 'linux',
    stdin: Readable.from([]),
    stdout: Object.assign(new PassThrough(), { isTTY: true, columns }),
    stderr: Object.assign(stderr, { isTTY: true, columns }),
    start: async () => false,
    now: () => now,
    signal: new AbortController().signal,
  };
  const settings = readSettings(world, {});
  const progress = createProgress(world, settings, createOutput(world, settings));
  for (; now <= 10_000; now += 1000) {
    lines.at(-1)!.doneBytes = (now / 100) * mebibyte;
    progress.update(lines);
  }
  stderr.read();
  const last = parts.join('').split('\u001b[0J').at(-2) ?? '';
  return last
    .replace(/\r|\u001b\[\d*[AK]/g, '')
    .split('\n')
    .filter((line) => line !== '');
}

const file = (name: string): ProgressLine => ({
  name,
  sizeBytes: 4000 * mebibyte,
  doneBytes: 0,
  state: 'running',
});

for (const columns of [80, 100, 120, 200])
  test(`${columns} columns show bar, rate and time left in one line`, () => {
    const lines = pictureAt(columns, [file('A holiday film with a very long name that nobody can read in full.mkv')]);
    assert.equal(lines.length, 1, lines.join('\n'));
    assert.match(lines[0]!, /^ {2}A holiday.*….*\.mkv +3\.9 GiB {2}━*╸─+ +2% +10\.0 MiB\/s +6:30 left$/);
    assert.ok([...lines[0]!].length < columns, lines[0]!);
  });

test('several files show bar, rate and time left of all of them', () => {
  const lines = pictureAt(80, [{ ...file('one.bin'), state: 'waiting' }, file('other.bin')]);
  assert.match(lines[0]!, /^ {2}one\.bin +3\.9 GiB {2}waiting$/);
  assert.match(lines[1]!, /^ {2}other\.bin +3\.9 GiB {2}╸─+ {4}2%$/);
  assert.match(lines[2]!, /^ {2}Total +7\.8 GiB {2}╸─+ {4}1% +10\.0 MiB\/s +13:10 left$/);
});

for (const columns of [40, 60])
  test(`${columns} columns show the percentage, and never break a line`, () => {
    const lines = pictureAt(columns, [file('A holiday film with a very long name.mkv')]);
    assert.match(lines[0]!, / 2%/);
    assert.ok([...lines[0]!].length < columns, lines[0]!);
  });

test('names with wide letters keep the columns aligned', () => {
  const [wide, plain] = pictureAt(80, [
    { ...file('映画.mkv'), state: 'done' },
    { ...file('a.mkv'), state: 'done' },
  ]);
  assert.equal([...wide!].length + 2, [...plain!].length);
});
