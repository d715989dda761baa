// Records the statements that work sends to the database.
import type { TestApp } from './app.ts';
import { assertInside } from './outside.ts';

/** The reading statements of this work, in order. No other work may run at the same time. */
export async function queriesOf(app: TestApp, work: () => Promise<unknown>): Promise<string[]> {
  assertInside();
  const executor = app.app.ctx.db.read.getExecutor();
  const run = executor.executeQuery;
  const statements: string[] = [];
  executor.executeQuery = (query, options) => {
    statements.push(query.sql);
    return run.call(executor, query, options) as ReturnType<typeof run<never>>;
  };
  try {
    await work();
  } finally {
    executor.executeQuery = run;
  }
  return statements;
}

export interface Counted {
  /** In order, inside transactions and outside. */
  statements: string[];
  transactions: number;
  open: number;
}

/** Periodic statements of the process: settings, time mark, new keys, programs, tables. */
const ownBusiness = /"(settings|meta|key_encryption_keys|client_sightings|migrations)"|sqlite_schema/;

/** Receives a statement before it runs; throwing fails it, a promise delays it. */
type Ask = (statement: string) => unknown;

interface Watcher {
  /** Outside transactions. */
  ask: Ask;
  begin(): { ask: Ask; end(isCommitted: boolean): void };
}

/** Runs this work and observes its statements. No other work may run at the same time. */
export async function whileObserved<Result>(
  app: TestApp,
  { ask, begin }: Watcher,
  work: () => Promise<Result>,
): Promise<Result> {
  assertInside();
  const { db } = app.app.ctx;
  const { write } = db;
  const watch = (executor: ReturnType<typeof db.read.getExecutor>, shown: Ask) => {
    const run = executor.executeQuery;
    executor.executeQuery = async (query, options) => {
      if (!ownBusiness.test(query.sql)) await shown(query.sql);
      return run.call(executor, query, options) as ReturnType<typeof run<never>>;
    };
    return () => {
      executor.executeQuery = run;
    };
  };
  const unwatch = watch(db.read.getExecutor(), ask);
  db.write = async (given) => {
    const transaction = begin();
    let isCommitted = false;
    try {
      const result = await write((tx) => {
        watch(tx.getExecutor(), transaction.ask);
        return given(tx);
      });
      isCommitted = true;
      return result;
    } finally {
      transaction.end(isCommitted);
    }
  };
  try {
    return await work();
  } finally {
    unwatch();
    db.write = write;
  }
}

/** All statements of this work, also after an answer while `work` waits. No other work may run at the same time. */
export async function statementsOf(app: TestApp, work: (counted: Counted) => Promise<unknown>): Promise<Counted> {
  const counted: Counted = { statements: [], transactions: 0, open: 0 };
  const begin = () => {
    const said: string[] = [];
    counted.open += 1;
    return {
      ask: (statement: string) => void said.push(statement),
      end() {
        counted.open -= 1;
        counted.transactions += said.length === 0 ? 0 : 1;
        counted.statements.push(...said);
      },
    };
  };
  await whileObserved(app, { ask: (statement) => void counted.statements.push(statement), begin }, () => work(counted));
  return counted;
}
