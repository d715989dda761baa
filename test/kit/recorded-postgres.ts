// For tests only: a database of PostgreSQL that is not there. It writes down what it is told and answers as the test says,
// so that what only PostgreSQL is told can be tried where there is none.
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type { Db } from '#server/db/engine/db.ts';

interface ToldPostgres<Tables> {
  db: Db<Tables>;
  /** Each statement in one line, with its parameters in the places of their numbers. */
  told: string[];
}

export function toldPostgres<Tables>(answer: (statement: string) => unknown[] = () => []): ToldPostgres<Tables> {
  const told: string[] = [];
  class Driver extends DummyDriver {
    override async acquireConnection() {
      return {
        async executeQuery<R>({ sql, parameters }: CompiledQuery) {
          const filled = sql.replace(/\$(\d+)/g, (_, number: string) => String(parameters[Number(number) - 1]));
          const statement = filled.replace(/\s+/g, ' ').trim();
          told.push(statement);
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
  return { db, told };
}
