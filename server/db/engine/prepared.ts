// Queries that are built and compiled once and then run with new parameters: building and compiling takes longer than
// running (finding the holder of an API key: 20 µs prepared, 90 µs built each time). They work on `read` and inside
// transactions, in both dialects.
import { createHash } from 'node:crypto';
import {
  type Compilable,
  type CompiledQuery,
  DeleteResult,
  type Expression,
  InsertResult,
  type Kysely,
  OperationNodeTransformer,
  type QueryResult,
  UpdateResult,
  ValueNode,
} from 'kysely';

/** Returns an expression for a value that each run provides. */
export type Param<Params> = <Name extends keyof Params & string>(name: Name) => Expression<Params[Name]>;

/**
 * Only the parameters need a type:
 *
 *     const findFile = prepared((db: Kysely<Tables>, param: Param<{ id: string }>) =>
 *       db.selectFrom('files').select(['id', 'name']).where('id', '=', param('id')));
 *     const [file] = await findFile(tx, { id });
 *
 * The shape of the query MUST NOT depend on a value: no lists of varying length, no `=` with null.
 */
export function prepared<Tables, Params extends object, Row>(
  build: (db: Kysely<Tables>, param: Param<Params>) => Compilable<Row>,
): (db: Kysely<Tables>, params: Params) => Promise<Row[]> {
  // The adapter is one object per dialect, also inside transactions.
  const compiledByAdapter = new WeakMap<object, Compilation>();

  return async (db, params) => {
    const executor = db.getExecutor();
    let query = compiledByAdapter.get(executor.adapter);
    if (!query) {
      if (executor.plugins.length > 0) throw new Error('a prepared query cannot run through plugins');
      const { query: node, queryId } = build(db, (name) => new Placeholder(name)).compile();
      query = compile(executor.compileQuery(writtenOut.transformNode(node), queryId));
      compiledByAdapter.set(executor.adapter, query);
    }
    const { compiled, slots } = query;
    const parameters = slots.map((slot) => (slot instanceof Placeholder ? value(params, slot.name) : slot));
    const { sql, query: node, queryId } = compiled;
    const result = await executor.executeQuery<Row>({ sql, query: node, queryId, parameters });
    return query.hasRows ? result.rows : [summary(compiled, result) as Row];
  };
}

/** The values of an insertion of whole rows. `columns` is an object, so that none can be missing. */
export function rowOf<Row extends object>(
  columns: Record<keyof Row & string, true>,
  param: Param<Row>,
): { [Name in keyof Row & string]: Expression<Row[Name]> } {
  const row = {} as { [Name in keyof Row & string]: Expression<Row[Name]> };
  for (const name of Object.keys(columns) as (keyof Row & string)[]) row[name] = param(name);
  return row;
}

/** More rows than this need several statements, which limits the number of prepared ones. */
const rowsAtOnce = 16;

type Columns<Row> = { [Name in keyof Row & string]: Expression<Row[Name]> };

/**
 * Inserts any number of whole rows with few statements. There is a prepared statement for each number of rows up to
 * `rowsAtOnce`.
 */
export function preparedRows<Tables, Row extends object>(
  columns: Record<keyof Row & string, true>,
  build: (db: Kysely<Tables>, rows: Columns<Row>[]) => Compilable<unknown>,
): (db: Kysely<Tables>, rows: Row[]) => Promise<void> {
  type Numbered = Record<string, Row[keyof Row & string]>;
  const names = Object.keys(columns) as (keyof Row & string)[];
  const insertOf = new Map<number, (db: Kysely<Tables>, params: Numbered) => Promise<unknown>>();

  const insertFor = (count: number) =>
    prepared((db: Kysely<Tables>, param: Param<Numbered>) =>
      build(
        db,
        Array.from(
          { length: count },
          (_, row) => Object.fromEntries(names.map((name) => [name, param(`${name} ${row}`)])) as Columns<Row>,
        ),
      ),
    );

  return async (db, rows) => {
    for (let from = 0; from < rows.length; from += rowsAtOnce) {
      const part = rows.slice(from, from + rowsAtOnce);
      const insert = insertOf.get(part.length) ?? insertFor(part.length);
      insertOf.set(part.length, insert);
      const params: Numbered = {};
      for (const [index, row] of part.entries()) for (const name of names) params[`${name} ${index}`] = row[name];
      await insert(db, params);
    }
  };
}

/**
 * Runs a query over any number of values in parts and returns the rows of all parts. There is a prepared statement for
 * each number of values up to `rowsAtOnce`.
 */
export function preparedList<Tables, Params extends object, Row>(
  build: (db: Kysely<Tables>, list: Expression<string>[], param: Param<Params>) => Compilable<Row>,
): (db: Kysely<Tables>, list: readonly string[], params: Params) => Promise<Row[]> {
  type Listed = Record<`listed ${number}`, string>;
  const queryOf = new Map<number, (db: Kysely<Tables>, params: Params & Listed) => Promise<Row[]>>();

  const queryFor = (count: number) =>
    prepared((db: Kysely<Tables>, param: Param<Params & Listed>) =>
      build(
        db,
        Array.from({ length: count }, (_, at) => param(`listed ${at}`) as Expression<string>),
        param as Param<Params>,
      ),
    );

  return async (db, list, params) => {
    const found: Row[] = [];
    for (let from = 0; from < list.length; from += rowsAtOnce) {
      const part = list.slice(from, from + rowsAtOnce);
      const query = queryOf.get(part.length) ?? queryFor(part.length);
      queryOf.set(part.length, query);
      const listed: Listed = {};
      for (const [at, value] of part.entries()) listed[`listed ${at}`] = value;
      found.push(...(await query(db, { ...params, ...listed })));
    }
    return found;
  };
}

/** Lengths of the lists of `preparedIn`; a longer list needs several statements. */
const listLengths = [16, 64, 256, 1024] as const;

/**
 * A query over any number of values behind `in`, prepared for a few lengths: a list is filled up with its first value,
 * which changes nothing.
 */
export function preparedIn<Tables, Row>(
  build: (db: Kysely<Tables>, list: Expression<string>[]) => Compilable<Row>,
): (db: Kysely<Tables>, list: readonly string[]) => Promise<Row[]> {
  const queries = listLengths.map((length) => ({
    length,
    list: prepared((db: Kysely<Tables>, param: Param<Record<string, string>>) =>
      build(
        db,
        Array.from({ length }, (_, at) => param(String(at))),
      ),
    ),
  }));
  const longest = queries.at(-1)!;

  return async (db, list) => {
    const found: Row[] = [];
    for (let from = 0; from < list.length; from += longest.length) {
      const part = list.slice(from, from + longest.length);
      const query = queries.find(({ length }) => part.length <= length)!;
      const filled = Array.from({ length: query.length }, (_, at) => [String(at), part[at] ?? part[0]!]);
      found.push(...(await query.list(db, Object.fromEntries(filled))));
    }
    return found;
  };
}

interface Compilation {
  compiled: CompiledQuery;
  slots: readonly unknown[];
  hasRows: boolean;
}

/** Becomes a parameter of the statement, which each run replaces by a value. */
class Placeholder<Value> implements Expression<Value> {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
  get expressionType(): Value | undefined {
    return undefined;
  }
  toOperationNode(): ValueNode {
    return ValueNode.create(this);
  }
}

/**
 * Writes texts that are part of the query as literals. SQLite plans a statement again at each run if a partial index
 * depends on a parameter (30 to 60 µs instead of 11 µs for binding three files), and PostgreSQL cannot use such an
 * index in a cached plan.
 */
class ConstantsWrittenOut extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    return typeof node.value === 'string' ? ValueNode.createImmediate(node.value) : super.transformValue(node);
  }
}
const writtenOut = new ConstantsWrittenOut();

function value(params: object, name: string): unknown {
  if (!Object.hasOwn(params, name)) throw new TypeError(`the prepared query needs the parameter ${name}`);
  return (params as Record<string, unknown>)[name];
}

function compile(compiled: CompiledQuery): Compilation {
  const { query } = compiled;
  const isChange =
    query.kind === 'InsertQueryNode' || query.kind === 'UpdateQueryNode' || query.kind === 'DeleteQueryNode';
  names.set(compiled.sql, `kept_${createHash('sha256').update(compiled.sql).digest('hex').slice(0, 32)}`);
  return { compiled, slots: compiled.parameters, hasRows: !isChange || query.returning !== undefined };
}

/** What Kysely returns for a change without `returning`. */
function summary({ query }: CompiledQuery, result: QueryResult<unknown>): unknown {
  const count = result.numAffectedRows ?? 0n;
  if (query.kind === 'InsertQueryNode') return new InsertResult(result.insertId, count);
  return query.kind === 'UpdateQueryNode' ? new UpdateResult(count, undefined) : new DeleteResult(count);
}

// Names derive from the text, because behind a connection pooler processes of different versions may share a session.
const names = new Map<string, string>();

/** The name under which PostgreSQL may cache the plan of this statement, or null. */
export function preparedName(sql: string): string | null {
  return names.get(sql) ?? null;
}
