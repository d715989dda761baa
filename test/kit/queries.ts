// Counts what is asked of the database outside transactions.
import type { TestApp } from './app.ts';
import { demandInside } from './outside.ts';

/** The statements that this work runs for reading, in their order. Nothing else may run meanwhile. */
export async function queriesOf(app: TestApp, work: () => Promise<unknown>): Promise<string[]> {
  demandInside();
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

/** What the process asks now and then whoever calls: settings, the mark of time, new keys, which programs called. */
export const ownBusiness = /"(settings|meta|key_encryption_keys|client_sightings|migrations)"|sqlite_schema/;

/**
 * Everything this work makes the service ask of the database. What comes after an answer is counted too while `work`
 * waits for it. Nothing else may run meanwhile.
 */
export async function statementsOf(app: TestApp, work: (counted: Counted) => Promise<unknown>): Promise<Counted> {
  demandInside();
  const counted: Counted = { statements: [], transactions: 0, open: 0 };
  const { db } = app.app.ctx;
  const { write } = db;
  const watch = (executor: ReturnType<typeof db.read.getExecutor>, said: string[]) => {
    const run = executor.executeQuery;
    executor.executeQuery = (query, options) => {
      if (!ownBusiness.test(query.sql)) said.push(query.sql);
      return run.call(executor, query, options) as ReturnType<typeof run<never>>;
    };
    return () => {
      executor.executeQuery = run;
    };
  };
  const unwatch = watch(db.read.getExecutor(), counted.statements);
  db.write = async (given) => {
    const said: string[] = [];
    counted.open += 1;
    try {
      return await write((tx) => {
        watch(tx.getExecutor(), said);
        return given(tx);
      });
    } finally {
      counted.open -= 1;
      counted.transactions += said.length === 0 ? 0 : 1;
      counted.statements.push(...said);
    }
  };
  try {
    await work(counted);
  } finally {
    unwatch();
    db.write = write;
  }
  return counted;
}
