// Counts what is asked of the database outside transactions.
import type { TestApp } from './app.ts';

/** The statements that this work runs for reading, in their order. Nothing else may run meanwhile. */
export async function queriesOf(app: TestApp, work: () => Promise<unknown>): Promise<string[]> {
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
