// Counts what is asked of the database outside transactions.
import type { TestApp } from './app.ts';
import { assertInside } from './outside.ts';

/** The statements that this work runs for reading, in their order. Nothing else may run meanwhile. */
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
  /** In their order, inside transactions and outside. */
  statements: string[];
  transactions: number;
  /** Transactions that have not ended yet. */
  open: number;
}

/** What the process asks now and then whoever calls: settings, the mark of time, new keys, which programs called, tables. */
const ownBusiness = /"(settings|meta|key_encryption_keys|client_sightings|migrations)"|sqlite_schema/;

/** Gets a statement before it runs; fails it by throwing, delays it by a promise. */
type Ask = (statement: string) => unknown;

interface Watcher {
  /** Outside of transactions. */
  ask: Ask;
  /** For each transaction. */
  begin(): { ask: Ask; end(isCommitted: boolean): void };
}

/**
 * Does this work while everything that it makes the service ask of the database is watched. Nothing else may run
 * meanwhile.
 */
export async function whileWatched<Result>(
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

/**
 * Everything this work makes the service ask of the database. What comes after an answer is counted too while `work`
 * waits for it. Nothing else may run meanwhile.
 */
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
  await whileWatched(app, { ask: (statement) => void counted.statements.push(statement), begin }, () => work(counted));
  return counted;
}
