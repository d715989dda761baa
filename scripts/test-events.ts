// A reporter for node:test: turns the events of one test file into lines of JSON for `test-file.ts`. Runs inside the
// process of the test, where errors are still objects that can be shown in full.

import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

export type TestLine =
  /** A test has begun to run. */
  | { kind: 'begun'; key: string; name: string }
  /** A test has ended, not necessarily in the order of the file. */
  | { kind: 'ended'; key: string }
  /** A verdict, in the order of the file. */
  | { kind: 'verdict'; name: string; isSuite: boolean; outcome: Outcome; durationMs: number; error: string | null }
  /** node:test complains about something outside of any test, such as an error thrown after the last one. */
  | { kind: 'complaint'; sentence: string }
  /** Every test of the file is over. */
  | { kind: 'over' };

export type Outcome = 'passed' | 'failed' | 'cancelled' | 'skipped' | 'todo';

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
      return { kind: 'begun', key: keyOf(event.data), name: event.data.name };
    case 'test:complete':
      return { kind: 'ended', key: keyOf(event.data) };
    case 'test:start':
      parents.splice(event.data.nesting, parents.length, event.data.name);
      return null;
    case 'test:pass':
    case 'test:fail':
      return verdict(event, parents);
    case 'test:diagnostic':
      return /^(Error|Warning): /.test(event.data.message) ? { kind: 'complaint', sentence: event.data.message } : null;
    case 'test:summary':
      return { kind: 'over' };
    default:
      return null;
  }
}

function verdict(event: Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>, parents: string[]): TestLine | null {
  const { data } = event;
  const error = event.type === 'test:fail' ? (event.data.details.error as FailedTestError) : null;
  const isSuite = data.details.type === 'suite';
  // A suite that failed only because something in it failed has nothing to add.
  if (isSuite && (error === null || error.failureType === 'subtestsFailed')) return null;
  return {
    kind: 'verdict',
    name: [...parents.slice(0, data.nesting), data.name].join(' › '),
    isSuite,
    outcome: outcomeOf(data, error),
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
