// A database that fails at one statement of a request, as it does when its disk breaks or its connection is lost.
import type { TestApp } from './app.ts';
import { whileWatched } from './queries.ts';

export interface Watched<Result> {
  result: Result;
  /** The one that failed; null when the work asked for less than that. */
  failed: string | null;
  /** Transactions that were committed, without those that only read. */
  commits: number;
}

/**
 * Does this work while the statement of this number fails, counted from 1, inside transactions and outside. Nothing else
 * may run meanwhile.
 */
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
  const result = await whileWatched(app, { ask, begin }, work);
  return { result, failed, commits };
}
