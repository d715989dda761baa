// A database that fails at one statement of a request, as it does when its disk breaks or its connection is lost.
import type { TestApp } from './app.ts';
import { demandInside } from './outside.ts';
import { ownBusiness } from './queries.ts';

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
  demandInside();
  const { db } = app.app.ctx;
  const { write } = db;
  let asked = 0;
  let failed: string | null = null;
  let commits = 0;
  const watch = (executor: ReturnType<typeof db.read.getExecutor>, onWrite: () => void) => {
    const run = executor.executeQuery;
    executor.executeQuery = (query, options) => {
      if (!ownBusiness.test(query.sql)) {
        asked += 1;
        if (asked === number) {
          failed = query.sql;
          return Promise.reject(new Error('the disk has a bad sector'));
        }
        if (!query.sql.startsWith('select')) onWrite();
      }
      return run.call(executor, query, options) as ReturnType<typeof run<never>>;
    };
    return () => {
      executor.executeQuery = run;
    };
  };
  const unwatch = watch(db.read.getExecutor(), () => {});
  db.write = async (given) => {
    let hasWritten = false;
    const result = await write((tx) => {
      hasWritten = false;
      watch(tx.getExecutor(), () => {
        hasWritten = true;
      });
      return given(tx);
    });
    commits += hasWritten ? 1 : 0;
    return result;
  };
  try {
    return { result: await work(), failed, commits };
  } finally {
    unwatch();
    db.write = write;
  }
}
