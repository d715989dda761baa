// Progress of transfers: bars on a terminal, plain lines in a pipe, JSON lines for scripts.

import { createRateMeter } from '../transfer/rate.ts';
import { clockText } from './durations.ts';
import { type Output, widthOf } from './output.ts';
import { jsonText, plainText } from './plain-text.ts';
import type { Settings } from './settings.ts';
import { sizeText } from './sizes.ts';
import { cutMiddle, padded } from './text-width.ts';
import type { World } from './world.ts';

export interface ProgressLine {
  name: string;
  sizeBytes: number;
  doneBytes: number;
  state: 'waiting' | 'running' | 'done' | 'failed';
}

export interface Progress {
  update(lines: readonly ProgressLine[]): void;
  /** Leaves the last state on the screen. */
  end(): void;
}

const drawEveryMs = 100;
const sayEveryMs = 30_000;
/** More files are summarised. */
const mostLines = 12;

/** Widths of the columns: `  name  size  bar  percent  rate  time left`. */
interface Layout {
  name: number;
  /** 0: no bar. */
  bar: number;
  hasPace: boolean;
}

const sizeWidth = 9;
/** `100%`. */
const percentWidth = 4;
/** `1023.9 MiB/s` and `1:02:03 left`. */
const paceWidths = [12, 12] as const;
const gap = 2;

/** At 80 columns there is space for all of them; narrower terminals lose the bar, then the pace. */
function layoutOf(width: number): Layout {
  const fixed = gap + 1 + sizeWidth + gap + percentWidth;
  const pace = gap + paceWidths[0] + 1 + paceWidths[1];
  // The last column stays empty, because some terminals break the line there.
  const free = width - 1 - fixed;
  const bar = Math.min(24, Math.floor((free - pace - gap) / 2.4));
  if (bar >= 8) return { name: Math.min(40, free - pace - bar - gap), bar, hasPace: true };
  const hasPace = free - pace >= 12;
  return { name: Math.min(28, free - (hasPace ? pace : 0)), bar: 0, hasPace };
}

export function createProgress(world: World, settings: Settings, output: Output): Progress {
  if (settings.hasEvents) return eventProgress(world, output.event);
  if (settings.hasJsonProgress)
    return eventProgress(world, (event, facts) => void world.stderr.write(`${jsonText({ event, ...facts })}\n`));
  if (settings.isQuiet || settings.isJson) return { update() {}, end() {} };
  const canDraw = world.stderr.isTTY === true && world.env.TERM !== 'dumb';
  return canDraw ? drawnProgress(world, settings) : spokenProgress(world, output);
}

function drawnProgress(world: World, { hasColour }: Settings): Progress {
  const meter = createRateMeter();
  let drawnLines = 0;
  let drawnAt = -Infinity;
  let latest: readonly ProgressLine[] = [];
  const draw = () => {
    const text = pictureOf(latest, meter, { layout: layoutOf(widthOf(world)), hasColour });
    const up = drawnLines === 0 ? '' : `\u001b[${drawnLines}A`;
    world.stderr.write(`${up}${text.map((line) => `\r\u001b[2K${line}\n`).join('')}\u001b[0J`);
    drawnLines = text.length;
    drawnAt = world.now();
  };
  return {
    update(lines) {
      latest = lines;
      meter.note(sum(lines, 'doneBytes'), world.now());
      if (world.now() - drawnAt >= drawEveryMs) draw();
    },
    end() {
      if (latest.length > 0) draw();
    },
  };
}

interface Look {
  layout: Layout;
  hasColour: boolean;
}

function pictureOf(lines: readonly ProgressLine[], meter: ReturnType<typeof createRateMeter>, look: Look): string[] {
  const [total, done] = [sum(lines, 'sizeBytes'), sum(lines, 'doneBytes')];
  const pace = paceText(meter.estimate(total - done));
  const isOver = lines.every(({ state }) => state === 'done' || state === 'failed');
  const active = lines.filter(({ state }) => state === 'running' || state === 'failed');
  const shown = lines.length <= mostLines ? lines : active.slice(0, mostLines);
  const isAlone = lines.length === 1;
  const rows = shown.map((line) => row(line, look, isAlone ? pace : ''));
  if (isAlone) return rows;
  const state = isOver ? 'done' : 'running';
  const name = lines.length <= mostLines ? 'Total' : `Total (${countDone(lines)} of ${lines.length} files)`;
  return [...rows, row({ name, sizeBytes: total, doneBytes: done, state }, look, pace)];
}

function paceText(estimate: ReturnType<ReturnType<typeof createRateMeter>['estimate']>): string {
  if (estimate === null) return '';
  const rate = `${sizeText(estimate.bytesPerSecond)}/s`.padStart(paceWidths[0]);
  return `  ${rate} ${`${clockText(estimate.secondsLeft)} left`.padStart(paceWidths[1])}`;
}

function row(line: ProgressLine, { layout, hasColour }: Look, pace: string): string {
  const name = padded(cutMiddle(plainText(line.name), layout.name), layout.name);
  const dim = (text: string) => (hasColour ? `\u001b[2m${text}\u001b[22m` : text);
  const start = `  ${name} ${sizeText(line.sizeBytes).padStart(sizeWidth)}  `;
  if (line.state === 'done') return `${start}✓`;
  if (line.state === 'failed') return `${start}✗`;
  if (line.state === 'waiting') return `${start}${dim('waiting')}`;
  const share = line.sizeBytes === 0 ? 1 : Math.min(1, line.doneBytes / line.sizeBytes);
  const percent = `${Math.floor(share * 100)}%`.padStart(percentWidth);
  const filled = Math.floor(share * layout.bar);
  const bar = `${'━'.repeat(filled)}${filled < layout.bar ? '╸' : ''}${dim('─'.repeat(Math.max(0, layout.bar - filled - 1)))}`;
  return `${start}${layout.bar === 0 ? '' : `${bar}  `}${percent}${layout.hasPace ? pace : ''}`;
}

function spokenProgress(world: World, output: Output): Progress {
  const before = new Map<number, ProgressLine['state']>();
  let saidAt = world.now();
  return {
    update(lines) {
      lines.forEach((line, index) => {
        const was = before.get(index) ?? 'waiting';
        if (was === line.state) return;
        before.set(index, line.state);
        const about = `${line.name} (${sizeText(line.sizeBytes)})`;
        if (line.state === 'running') output.say(`${about}: started`);
        if (line.state === 'done') output.say(`${about}: done`);
        if (line.state === 'failed') output.say(`${about}: failed`);
      });
      if (world.now() - saidAt < sayEveryMs) return;
      saidAt = world.now();
      const [total, done] = [sum(lines, 'sizeBytes'), sum(lines, 'doneBytes')];
      const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
      output.say(`${percent} %: ${sizeText(done)} of ${sizeText(total)}, ${countDone(lines)} of ${lines.length} files`);
    },
    end() {},
  };
}

function eventProgress(world: World, tell: Output['event']): Progress {
  const before = new Map<number, ProgressLine['state']>();
  let saidAt = -Infinity;
  return {
    update(lines) {
      lines.forEach((line, index) => {
        if (before.get(index) === line.state) return;
        before.set(index, line.state);
        tell('file', { name: line.name, size: line.sizeBytes, state: line.state });
      });
      if (world.now() - saidAt < 1000) return;
      saidAt = world.now();
      tell('progress', { done_bytes: sum(lines, 'doneBytes'), total_bytes: sum(lines, 'sizeBytes') });
    },
    end() {},
  };
}

function sum(lines: readonly ProgressLine[], key: 'sizeBytes' | 'doneBytes'): number {
  return lines.reduce((total, line) => total + line[key], 0);
}

function countDone(lines: readonly ProgressLine[]): number {
  return lines.filter(({ state }) => state === 'done').length;
}
