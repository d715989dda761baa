// Caches results of hot queries until the next commit. SQLite reports cheaply whether any other connection or process
// has committed, so a cached result equals that of the query. PostgreSQL reports no such thing: there, and inside
// transactions, the query always runs.
// Measured with `GET /account`, processor time without the kernel: 75 µs; 123 µs without caching the holder of a key,
// 244 µs without caching the facts of the account.

interface Answers<Answer> {
  version: number;
  byKey: Map<string, Answer>;
}

const versionReaders = new WeakMap<object, () => number>();

/** Registers, for a connection that only reads, a number that changes with every commit. */
export function registerVersionReader(db: object, read: () => number): void {
  versionReaders.set(db, read);
}

/** Callers choose keys, so the number is limited. */
const maxAnswers = 1000;

/** Callers share the results and MUST NOT change them. */
export function cached<Db extends object, Params extends object, Answer>(
  run: (db: Db, params: Params) => Promise<Answer>,
  keyOf: (params: Params) => string,
): (db: Db, params: Params) => Promise<Answer> {
  const answersOf = new WeakMap<object, Answers<Answer>>();

  return async (db, params) => {
    const version = versionOf(db);
    if (version === null) return run(db, params);
    let answers = answersOf.get(db);
    if (answers?.version !== version) {
      answers = { version, byKey: new Map() };
      answersOf.set(db, answers);
    }
    const key = keyOf(params);
    const known = answers.byKey.get(key);
    if (known !== undefined) return known;
    const answer = await run(db, params);
    // Stored under the version from before the query: it is never read after a later commit.
    if (answers.byKey.size < maxAnswers) answers.byKey.set(key, answer);
    return answer;
  };
}

function versionOf(db: object): number | null {
  try {
    return versionReaders.get(db)?.() ?? null;
  } catch {
    // Busy or closed: the query itself waits or fails.
    return null;
  }
}
