// Maps the columns of a table to the properties of a noun, and back. Each column is declared once; the property has its
// name in camelCase unless the definition gives another.
import { type CamelCase, camelCase } from '#contract/camel-case.ts';
import type { Flag } from './flag.ts';
import type { Sealer } from './schema/schema.ts';

interface Column<Name extends string, Stored, Value> {
  name: Name;
  /** Null when the stored value is the property itself. */
  read: ((stored: Stored, row: never, keys: Sealer) => Value) | null;
  write: ((value: Value, values: never, keys: Sealer) => Stored) | null;
}

// biome-ignore lint/suspicious/noExplicitAny: a definition holds columns of all types
type Definition = Record<string, Column<any, any, any>>;

// biome-ignore lint/suspicious/noExplicitAny: see above
type ValueOf<Of> = Of extends Column<any, any, infer Value> ? Value : never;
// biome-ignore lint/suspicious/noExplicitAny: see above
type StoredOf<Of> = Of extends Column<any, infer Stored, any> ? Stored : never;

export type ValuesOf<Of> = Of extends Table<infer Columns> ? Values<Columns> : never;
type Values<Columns extends Definition> = { [Name in keyof Columns]: ValueOf<Columns[Name]> };
type Row<Columns extends Definition> = {
  [Property in keyof Columns as Columns[Property]['name']]: StoredOf<Columns[Property]>;
};

export type CamelRow<Row> = { [Name in keyof Row as Name extends string ? CamelCase<Name> : never]: Row[Name] };

/** A selected row with camelCase names and the stored values. */
export function camelRow<Row extends object>(row: Row): CamelRow<Row> {
  const renamed: Record<string, unknown> = {};
  for (const name in row) renamed[propertyOf(name)] = row[name];
  return renamed as CamelRow<Row>;
}

const properties = new Map<string, string>();

function propertyOf(column: string): string {
  const known = properties.get(column);
  if (known !== undefined) return known;
  const property = camelCase(column);
  properties.set(column, property);
  return property;
}

export interface Table<Columns extends Definition> {
  /** For `rowOf` in engine/prepared.ts. */
  columns: Record<keyof Row<Columns> & string, true>;
  /** The columns for a query that reads them from this table. */
  select<Alias extends string>(table: Alias): `${Alias}.${keyof Row<Columns> & string}`[];
  /** Tables with encrypted columns need the keys. */
  read(row: Row<Columns>, keys?: Sealer): Values<Columns>;
  readAll(rows: readonly Row<Columns>[], keys?: Sealer): Values<Columns>[];
  write(values: Values<Columns>, keys?: Sealer): Row<Columns>;
  /** Only the columns of the given properties. An encrypted text also needs the property it is bound to. */
  changes(values: Partial<Values<Columns>>, keys?: Sealer): Partial<Row<Columns>>;
}

type ColumnsOf<Stored, Kind, Value = never> = {
  [Name in keyof Stored as Stored[Name] extends Kind ? Name : never]: [Value] extends [never] ? Stored[Name] : Value;
};

type Group<TableRow, Names extends keyof TableRow & string, Value = never> = {
  [Name in Names as CamelCase<Name>]: Column<Name, TableRow[Name], [Value] extends [never] ? TableRow[Name] : Value>;
};

type NamesOfKind<TableRow, Kind> = keyof ColumnsOf<TableRow, Kind> & keyof TableRow & string;

const asFlag = {
  read: ((stored: Flag) => stored === 1) as never,
  write: ((value: boolean) => (value ? 1 : 0)) as never,
};
const asJson = { read: JSON.parse as never, write: JSON.stringify as never };

function builderOf<TableRow>() {
  const group = (names: readonly string[], kind: Omit<Column<string, never, never>, 'name'>) =>
    Object.fromEntries(names.map((name) => [camelCase(name), { name, ...kind }]));
  return {
    /** Stored as they are: texts, numbers, instants, bytes. */
    plain: <Names extends keyof TableRow & string>(...names: Names[]) =>
      group(names, { read: null, write: null }) as unknown as Group<TableRow, Names>,
    flags: <Names extends NamesOfKind<TableRow, Flag>>(...names: Names[]) =>
      group(names, asFlag) as unknown as Group<TableRow, Names, boolean>,
    /** Lists of texts, as JSON. */
    lists: <Names extends NamesOfKind<TableRow, string>>(...names: Names[]) =>
      group(names, asJson) as unknown as Group<TableRow, Names, readonly string[]>,
    /** A value as JSON, with its type. */
    json:
      <Value>() =>
      <Name extends NamesOfKind<TableRow, string>>(name: Name): Column<Name, TableRow[Name], Value> => ({
        name,
        ...asJson,
      }),
    /** An encrypted text, bound to its purpose and to the id of its row; null where the column is. */
    sealedText: <Name extends NamesOfKind<TableRow, Buffer | null>, Id extends keyof TableRow & string>(
      name: Name,
      purpose: Parameters<Sealer['openText']>[0],
      id: Id,
      placeOf: (id: TableRow[Id]) => string = String,
    ): Column<Name, TableRow[Name], null extends TableRow[Name] ? string | null : string> => ({
      name,
      read: ((stored: Buffer | null, row: TableRow, keys: Sealer) =>
        stored === null ? null : keys.openText(purpose, stored, placeOf(row[id]))) as never,
      write: ((text: string | null, values: Record<string, TableRow[Id]>, keys: Sealer) =>
        text === null ? null : keys.sealText(purpose, text, placeOf(values[camelCase(id)]!))) as never,
    }),
    /** A value with another form in the domain. */
    mapped: <Name extends keyof TableRow & string, Value>(
      name: Name,
      read: (stored: TableRow[Name]) => Value,
      write: (value: Value) => TableRow[Name],
    ): Column<Name, TableRow[Name], Value> => ({ name, read: read as never, write: write as never }),
    /** A property with another name. */
    as: <Name extends keyof TableRow & string>(name: Name): Column<Name, TableRow[Name], TableRow[Name]> => ({
      name,
      read: null,
      write: null,
    }),
    /** A boolean with another name. */
    flagAs: <Name extends NamesOfKind<TableRow, Flag>>(name: Name): Column<Name, TableRow[Name], boolean> => ({
      name,
      ...asFlag,
    }),
  };
}

/** `defineTable<GroupsTable>()(({ plain, flags }) => ({ ...plain('id', 'name'), ...flags('is_local') }))` */
export function defineTable<TableRow>() {
  return <Columns extends Definition>(
    define: (columns: ReturnType<typeof builderOf<TableRow>>) => Columns,
  ): Table<Columns> => {
    const columns = define(builderOf<TableRow>());
    const entries = Object.entries(columns);
    const writeColumn = (
      row: Record<string, unknown>,
      values: Record<string, unknown>,
      [property, { name, write }]: (typeof entries)[number],
      keys: Sealer | undefined,
    ) => {
      const value = values[property];
      row[name] = write === null ? value : write(value, values as never, keys as Sealer);
    };
    const read = (row: Row<Columns>, keys?: Sealer) => {
      const stored = row as Record<string, unknown>;
      const values: Record<string, unknown> = {};
      for (const [property, { name, read: readColumn }] of entries)
        values[property] =
          readColumn === null ? stored[name] : readColumn(stored[name], stored as never, keys as Sealer);
      return values as Values<Columns>;
    };
    return {
      read,
      readAll: (rows, keys) => rows.map((row) => read(row, keys)),
      select: (table) => entries.map(([, { name }]) => `${table}.${name}` as never),
      columns: Object.fromEntries(entries.map(([, { name }]) => [name, true])) as never,
      write: (values, keys) => {
        const row: Record<string, unknown> = {};
        for (const entry of entries) writeColumn(row, values as never, entry, keys);
        return row as never;
      },
      changes: (values, keys) => {
        const row: Record<string, unknown> = {};
        for (const entry of entries)
          if ((values as Record<string, unknown>)[entry[0]] !== undefined)
            writeColumn(row, values as never, entry, keys);
        return row as never;
      },
    };
  };
}
