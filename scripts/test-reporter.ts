// The reporter of a test process (`test-entry.ts`): sends each verdict as a line of JSON to the parent, on file descriptor 3.
import { writeSync } from 'node:fs';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

export type Outcome = 'passed' | 'failed' | 'cancelled' | 'skipped' | 'todo';

export interface Verdict {
  /** The names of the suites around the test, and its own. */
  name: string;
  isSuite: boolean;
  outcome: Outcome;
  durationMs: number;
  error: string | null;
}

export type TestLine =
  | { kind: 'begun'; name: string }
  | ({ kind: 'verdict' } & Verdict)
  | { kind: 'file ended'; path: string; durationMs: number }
  /** Something failed outside of all tests, such as an error after the last one. */
  | { kind: 'complaint'; sentence: string };

type Ended = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>;
interface RunnerError extends Error {
  failureType?: string;
}

const names: string[] = [];

// biome-ignore lint/correctness/useYield lint/style/noDefaultExport: as node:test wants a reporter.
export default async function* sendLines(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) for (const line of linesOf(event)) writeSync(3, `${JSON.stringify(line)}\n`);
}

function linesOf(event: TestEvent): TestLine[] {
  switch (event.type) {
    case 'test:dequeue':
      return [{ kind: 'begun', name: event.data.name }];
    case 'test:start':
      names.splice(event.data.nesting, names.length, event.data.name);
      return [];
    case 'test:pass':
    case 'test:fail':
      return endedLines(event);
    case 'test:diagnostic':
      return /^(Error|Warning): /.test(event.data.message) ? [{ kind: 'complaint', sentence: event.data.message }] : [];
    default:
      return [];
  }
}

/** Suites of the outermost level are files; tests there only separate them. */
function endedLines(event: Ended): TestLine[] {
  const { nesting, name, details } = event.data;
  if (nesting === 0 && details.type !== 'suite') return [];
  const verdict = verdictOf(event, nesting === 0 ? 'the whole file' : [...names.slice(1, nesting), name].join(' › '));
  const isNothing = verdict === null || (nesting === 0 && verdict.error === null);
  const lines: TestLine[] = isNothing ? [] : [{ kind: 'verdict', ...verdict }];
  return nesting === 0 ? [...lines, { kind: 'file ended', path: name, durationMs: details.duration_ms }] : lines;
}

/** Null for a suite that passed, or failed only because of a test in it. */
function verdictOf(event: Ended, name: string): Verdict | null {
  const { data } = event;
  const error = event.type === 'test:fail' ? (event.data.details.error as RunnerError) : null;
  const isSuite = data.details.type === 'suite';
  const outcome = outcomeOf(data, error);
  const hasCause = error !== null && error.failureType !== 'subtestsFailed';
  if (isSuite && !hasCause && outcome !== 'skipped' && outcome !== 'todo') return null;
  return {
    name,
    isSuite,
    outcome,
    durationMs: data.details.duration_ms,
    error: hasCause ? describeError(error) : null,
  };
}

function outcomeOf(data: { skip?: string | boolean; todo?: string | boolean }, error: RunnerError | null): Outcome {
  if (data.skip !== undefined && data.skip !== false) return 'skipped';
  if (data.todo !== undefined && data.todo !== false) return 'todo';
  if (error === null) return 'passed';
  return error.failureType === 'cancelledByParent' ? 'cancelled' : 'failed';
}

function describeError(error: RunnerError): string {
  const cause = error.cause ?? error;
  const text = typeof cause === 'string' ? cause : inspect(cause, { depth: 6 });
  return text.replace(/\n +at [^\n]*\bnode:(?:internal|async_hooks)[^\n]*?(?=( \{)?\n|$)/g, '');
}
