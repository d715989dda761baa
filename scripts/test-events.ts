// A reporter for node:test: turns the events of a lane (`test-lane.ts`) into lines of JSON for `test-run.ts`. Runs
// inside the process of the tests, where errors are still objects that can be shown in full.
import { readFileSync } from 'node:fs';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

export type TestLine =
  /** The tests of a file begin or are over: when, and what the process and its children have cost so far. */
  | { kind: 'file'; path: string; isOver: boolean; at: number; cpuMs: number }
  /** A test has begun to run. */
  | { kind: 'begun'; key: string; name: string }
  /** A test has ended, not necessarily in the order of the file. */
  | { kind: 'ended'; key: string }
  /** A verdict, in the order of the file. */
  | { kind: 'verdict'; name: string; isSuite: boolean; outcome: Outcome; durationMs: number; error: string | null }
  /** node:test complains about something outside of any test, such as an error thrown after the last one. */
  | { kind: 'complaint'; sentence: string }
  /** Every test of the process is over. */
  | { kind: 'over' };

export type Outcome = 'passed' | 'failed' | 'cancelled' | 'skipped' | 'todo';

/** The lane runs tests with these names around the tests of each file. */
const fileMark = /^§ (begin|over|end) (.*)$/;

// biome-ignore lint/style/noDefaultExport: node:test takes the default export of a reporter module.
export default async function* testEvents(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const parents: string[] = [];
  for await (const event of events) {
    const line = toLine(event, parents);
    if (line) yield `${JSON.stringify(line)}\n`;
  }
}

function toLine(event: TestEvent, parents: string[]): TestLine | null {
  switch (event.type) {
    case 'test:dequeue':
      return isMark(event.data) ? null : { kind: 'begun', key: keyOf(event.data), name: event.data.name };
    case 'test:complete':
      return isMark(event.data) ? null : { kind: 'ended', key: keyOf(event.data) };
    case 'test:start':
      parents.splice(event.data.nesting, parents.length, event.data.name);
      return null;
    case 'test:pass':
    case 'test:fail':
      return isMark(event.data) ? markLine(event.data.name) : verdict(event, parents);
    case 'test:diagnostic':
      return /^(Error|Warning): /.test(event.data.message) ? { kind: 'complaint', sentence: event.data.message } : null;
    case 'test:summary':
      return { kind: 'over' };
    default:
      return null;
  }
}

function isMark({ nesting, name }: { nesting: number; name: string }): boolean {
  return nesting === 0 && fileMark.test(name);
}

function markLine(name: string): TestLine | null {
  const [, side, path] = fileMark.exec(name) as unknown as [string, string, string];
  if (side === 'over') return null;
  return { kind: 'file', path, isOver: side === 'end', at: Date.now(), cpuMs: processorTimeMs() };
}

/** Of this process and, where the system tells it, of its children that have ended. */
function processorTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + childrenTimeMs();
}

function childrenTimeMs(): number {
  if (process.platform !== 'linux') return 0;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // The name in parentheses may hold anything, so the fields are counted from its end. A tick is a hundredth of a second
  // for programs on every kind of Linux machine.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

function verdict(event: Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>, parents: string[]): TestLine | null {
  const { data } = event;
  const error = event.type === 'test:fail' ? (event.data.details.error as FailedTestError) : null;
  const isSuite = data.details.type === 'suite';
  const outcome = outcomeOf(data, error);
  // A suite that failed only because something in it failed has nothing to add, nor has one that passed.
  if (isSuite && (outcome === 'passed' || error?.failureType === 'subtestsFailed')) return null;
  return {
    kind: 'verdict',
    name: [...parents.slice(0, data.nesting), data.name].join(' › '),
    isSuite,
    outcome,
    durationMs: data.details.duration_ms,
    error: error && error.failureType !== 'subtestsFailed' ? describeError(error.cause ?? error) : null,
  };
}

function describeError(cause: unknown): string {
  const text = typeof cause === 'string' ? cause : inspect(cause, { depth: 6 });
  // Where the runner itself was at that moment helps nobody.
  return text.replace(/\n +at [^\n]*\bnode:(?:internal|async_hooks)[^\n]*?(?=( \{)?\n|$)/g, '');
}

interface FailedTestError extends Error {
  failureType?: string;
}

function outcomeOf(data: { skip?: string | boolean; todo?: string | boolean }, error: FailedTestError | null): Outcome {
  if (data.skip !== undefined && data.skip !== false) return 'skipped';
  if (data.todo !== undefined && data.todo !== false) return 'todo';
  if (error === null) return 'passed';
  return error.failureType === 'cancelledByParent' ? 'cancelled' : 'failed';
}

function keyOf(data: { file?: string; line?: number; column?: number; name: string; nesting: number }): string {
  return `${data.nesting}:${data.line}:${data.column}:${data.name}`;
}
