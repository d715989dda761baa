// A PostgreSQL driver without a server: records statements and returns the test's rows.
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type { Db } from '#server/db/engine/db.ts';

interface RecordedPostgres<Tables> {
  db: Db<Tables>;
  /** One line each, with parameters filled in. */
  statements: string[];
}

export function recordedPostgres<Tables>(
  answer: (statement: string) => unknown[] = () => [],
): RecordedPostgres<Tables> {
  const statements: string[] = [];
  class Driver extends DummyDriver {
    override async acquireConnection() {
      return {
        async executeQuery<R>({ sql, parameters }: CompiledQuery) {
          const filled = sql.replace(/\$(\d+)/g, (_, number: string) => String(parameters[Number(number) - 1]));
          const statement = filled.replace(/\s+/g, ' ').trim();
          statements.push(statement);
          return { rows: answer(statement) as R[] };
        },
        async *streamQuery() {},
      };
    }
  }
  const kysely = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new Driver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const db: Db<Tables> = {
    dialect: 'postgres',
    read: kysely,
    write: (work) => kysely.transaction().execute(work),
    ping: async () => {},
    close: async () => {},
  };
  return { db, statements };
}
