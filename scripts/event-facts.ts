// Reads the names and types of the facts of each kind of event from server/domain/event-facts.ts, whose types a program
// cannot read otherwise.

/** By kind and fact: the type, followed by `, optional` where events may lack it. */
export type FactTypes = Record<string, Record<string, string>>;

/** A fact named like this stands for further ones. */
export const furtherFacts = '…';

interface Field {
  type: string;
  isOptional: boolean;
}

export function readEventFacts(source: string): FactTypes {
  const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '');
  const types = new Map<string, string>();
  for (const statement of splitAt(code, ';')) {
    const [, name, body] = /^(?:export )?type (\w+) = ([\s\S]+)$/.exec(statement.trim()) ?? [];
    if (name !== undefined && body !== undefined) types.set(name, body);
  }
  const start = code.indexOf('{', code.indexOf('interface EventFacts'));
  const facts: FactTypes = {};
  for (const [kind, { type }] of membersOf(code.slice(start, code.lastIndexOf('}') + 1))) {
    const fields = [...fieldsOf(type, types)].map(([name, field]) => [name, describe(field)] as const);
    facts[kind] = Object.fromEntries(fields.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  }
  return facts;
}

function describe({ type, isOptional }: Field): string {
  const isObject = /^(\{|Record<|[A-Z])/.test(type);
  const text = isObject ? 'object' : type.replaceAll("'", '"');
  return isOptional ? `${text}, optional` : text;
}

function fieldsOf(expression: string, types: ReadonlyMap<string, string>): Map<string, Field> {
  const alternatives = splitAt(expression, '|').filter((part) => part.trim() !== '');
  const all = alternatives.map((alternative) => {
    const merged = new Map<string, Field>();
    for (const part of splitAt(alternative, '&'))
      for (const [name, field] of atomOf(part.trim(), types)) merged.set(name, field);
    return merged;
  });
  const fields = new Map<string, Field>();
  for (const one of all)
    for (const [name, field] of one)
      fields.set(name, { ...field, isOptional: field.isOptional || !all.every((other) => other.has(name)) });
  return fields;
}

function atomOf(atom: string, types: ReadonlyMap<string, string>): Iterable<[string, Field]> {
  if (atom.startsWith('{')) return membersOf(atom);
  if (atom.startsWith('Record<')) return [[furtherFacts, { type: 'unknown', isOptional: true }]];
  const known = types.get(atom);
  if (known === undefined) throw new Error(`event-facts.ts has a type that cannot be read: ${atom}`);
  return fieldsOf(known, types);
}

function membersOf(object: string): [string, Field][] {
  return splitAt(object.slice(1, -1), ';').flatMap((member) => {
    const [, name, mark, type] = /^['"]?([\w.]+)['"]?(\??):\s([\s\S]+)$/.exec(member.trim()) ?? [];
    return name === undefined ? [] : [[name, { type: type!.replace(/\s+/g, ' ').trim(), isOptional: mark === '?' }]];
  });
}

/** Outside of brackets. */
function splitAt(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if ('{[(<'.includes(character)) depth += 1;
    else if ('}])>'.includes(character)) depth -= 1;
    else if (character === separator && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}
