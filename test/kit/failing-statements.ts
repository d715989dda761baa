// A database that fails at one statement of a request, as with a broken disk or a lost connection.
import type { TestApp } from './app.ts';
import { whileObserved } from './queries.ts';

export interface Watched<Result> {
  result: Result;
  /** The statement that failed; null when the work runs fewer. */
  failed: string | null;
  /** Committed transactions that wrote. */
  commits: number;
}

/** Runs this work while the statement with this number, counted from 1, fails. No other work may run at the same time. */
export async function whileFailing<Result>(
  app: TestApp,
  number: number,
  work: () => Promise<Result>,
): Promise<Watched<Result>> {
  let asked = 0;
  let failed: string | null = null;
  let commits = 0;
  const ask = (statement: string) => {
    asked += 1;
    if (asked !== number) return;
    failed = statement;
    throw new Error('the disk has a bad sector');
  };
  const begin = () => {
    let hasWritten = false;
    return {
      ask(statement: string) {
        ask(statement);
        hasWritten ||= !statement.startsWith('select');
      },
      end(isCommitted: boolean) {
        commits += isCommitted && hasWritten ? 1 : 0;
      },
    };
  };
  const result = await whileObserved(app, { ask, begin }, work);
  return { result, failed, commits };
}
