// Reads the doc comments of tables and columns from server/db/schema/*.ts, line by line: each column is one line.

/** By table name, and by `table.column`. */
export type SchemaComments = Map<string, string>;

export function schemaComments(source: string): SchemaComments {
  const byInterface = new Map<string, Map<string, string>>();
  const tables = new Map<string, string>();
  let current = '';
  let comment = '';
  for (const line of joinComments(source).split('\n')) {
    const opening = /^export interface (\w+) \{/.exec(line);
    const member = /^ {2}(\w+)\??: (\w+)/.exec(line);
    const text = /^\s*\/\*\* (.*) \*\/$/.exec(line)?.[1];
    if (opening) {
      current = opening[1]!;
      byInterface.set(current, new Map(comment === '' ? [] : [['', comment]]));
    } else if (member && current === 'Tables') tables.set(member[1]!, member[2]!);
    else if (member && comment !== '') byInterface.get(current)?.set(member[1]!, comment);
    comment = text ?? '';
  }
  const comments: SchemaComments = new Map();
  for (const [table, name] of tables)
    for (const [column, text] of byInterface.get(name) ?? [])
      comments.set(column === '' ? table : `${table}.${column}`, text);
  return comments;
}

/** Joins the lines of each doc comment. */
function joinComments(source: string): string {
  return source.replace(/\/\*\*\s[\s\S]*?\*\//g, (comment) =>
    comment.replace(/\s*\n\s*\* ?/g, ' ').replace(/ +\/$/, ' */'),
  );
}
