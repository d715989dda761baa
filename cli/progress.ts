// Progress of transfers: bars on a terminal, plain lines in a pipe, JSON lines for scripts.
import { humanSize } from '#contract/sizes.ts';
import { createRateMeter } from '../transfer/rate.ts';
import { clockText } from './durations.ts';
import type { Output } from './output.ts';
import { jsonText, plainText } from './plain-text.ts';
import type { Settings } from './settings.ts';
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
const barWidth = 20;
const nameWidth = 28;
/** More files are summarised. */
const mostLines = 12;

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
    const width = Math.max(40, world.stderr.columns ?? 80);
    const text = pictureOf(latest, meter, { width, hasColour });
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
  width: number;
  hasColour: boolean;
}

function pictureOf(lines: readonly ProgressLine[], meter: ReturnType<typeof createRateMeter>, look: Look): string[] {
  const [total, done] = [sum(lines, 'sizeBytes'), sum(lines, 'doneBytes')];
  const estimate = meter.estimate(total - done);
  const pace = estimate === null ? '' : `  ${humanSize(estimate.bytesPerSecond)}/s  ${clockText(estimate.secondsLeft)}`;
  const isOver = lines.every(({ state }) => state === 'done' || state === 'failed');
  const active = lines.filter(({ state }) => state === 'running' || state === 'failed');
  const shown = lines.length <= mostLines ? lines : active.slice(0, mostLines);
  const rows = shown.map((line) => {
    const isAlone = lines.length === 1;
    return row(line.name, line, { ...look, pace: isAlone && line.state === 'running' ? pace : '' });
  });
  if (lines.length === 1) return rows;
  const state = isOver ? 'done' : 'running';
  const label = lines.length <= mostLines ? 'Total' : `Total (${countDone(lines)} of ${lines.length} files)`;
  const all: ProgressLine = { name: label, sizeBytes: total, doneBytes: done, state };
  return [...rows, row(label, all, { ...look, pace: isOver ? '' : pace })];
}

function row(name: string, line: ProgressLine, { width, hasColour, pace }: Look & { pace: string }): string {
  const label = fit(plainText(name), Math.min(nameWidth, width - 12)).padEnd(Math.min(nameWidth, width - 12));
  const size = humanSize(line.sizeBytes).padStart(9);
  const dim = (text: string) => (hasColour ? `\u001b[2m${text}\u001b[22m` : text);
  if (line.state === 'done') return `  ${label} ${size}  ✓`;
  if (line.state === 'failed') return `  ${label} ${size}  ✗`;
  if (line.state === 'waiting') return `  ${label} ${size}  ${dim('waiting')}`;
  const share = line.sizeBytes === 0 ? 1 : Math.min(1, line.doneBytes / line.sizeBytes);
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  const filled = Math.floor(share * barWidth);
  const bar = `${'━'.repeat(filled)}${filled < barWidth ? '╸' : ''}${dim('─'.repeat(Math.max(0, barWidth - filled - 1)))}`;
  const room = width - nameWidth - 15;
  const full = `${bar}  ${percent}${pace}`;
  return `  ${label} ${size}  ${room >= barWidth + 8 + pace.length ? full : percent}`;
}

/** Shortens the middle and keeps the extension. */
function fit(name: string, width: number): string {
  const letters = [...name];
  if (letters.length <= width) return name;
  const tail = Math.min(12, Math.floor(width / 2));
  return `${letters.slice(0, width - tail - 1).join('')}…${letters.slice(-tail).join('')}`;
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
        const about = `${line.name} (${humanSize(line.sizeBytes)})`;
        if (line.state === 'running') output.say(`${about}: started`);
        if (line.state === 'done') output.say(`${about}: done`);
        if (line.state === 'failed') output.say(`${about}: failed`);
      });
      if (world.now() - saidAt < sayEveryMs) return;
      saidAt = world.now();
      const [total, done] = [sum(lines, 'sizeBytes'), sum(lines, 'doneBytes')];
      const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
      output.say(
        `${percent} %: ${humanSize(done)} of ${humanSize(total)}, ${countDone(lines)} of ${lines.length} files`,
      );
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
