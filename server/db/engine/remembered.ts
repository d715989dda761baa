// Answers of hot queries, kept for as long as nobody has committed anything. SQLite tells at once, for a fraction of a
// query's price, whether any other connection or process has; so an answer from here is the one the query would give.
// PostgreSQL tells nothing of the kind: there, and inside transactions, the query simply runs.
import type { Kysely } from 'kysely';

type Run<Tables, Params, Row> = (db: Kysely<Tables>, params: Params) => Promise<Row[]>;

interface Answers<Row> {
  version: number;
  rowsByKey: Map<string, readonly Readonly<Row>[]>;
}

const versionReaders = new WeakMap<object, () => number>();

/** A connection for reading that knows a number which changes with every commit of others. It never writes itself. */
export function tellVersion(db: object, read: () => number): void {
  versionReaders.set(db, read);
}

/** Strangers choose keys, so there is an end. */
const maxAnswers = 1000;

/** Callers share the rows and must not change them. `keyOf` tells parameters apart. */
export function remembered<Tables, Params extends object, Row>(
  run: Run<Tables, Params, Row>,
  keyOf: (params: Params) => string,
): (db: Kysely<Tables>, params: Params) => Promise<readonly Readonly<Row>[]> {
  const answersOf = new WeakMap<object, Answers<Row>>();

  return async (db, params) => {
    const version = versionOf(db);
    if (version === null) return run(db, params);
    let answers = answersOf.get(db);
    if (answers?.version !== version) {
      answers = { version, rowsByKey: new Map() };
      answersOf.set(db, answers);
    }
    const key = keyOf(params);
    const known = answers.rowsByKey.get(key);
    if (known !== undefined) return known;
    const rows = await run(db, params);
    // Put where it was asked for: when somebody committed meanwhile, nobody looks there any more.
    if (answers.rowsByKey.size < maxAnswers) answers.rowsByKey.set(key, rows);
    return rows;
  };
}

function versionOf(db: object): number | null {
  try {
    return versionReaders.get(db)?.() ?? null;
  } catch {
    // Busy or closed: the query itself knows how to wait, and how to tell.
    return null;
  }
}
