// Finds places for single faults in a source file. Every fault leaves a file that parses.
import { createHash } from 'node:crypto';
import { lineAt, parseFile, type SyntaxNode, walkSyntax } from '#scripts/imports.ts';

export const faultKinds = [
  'comparison',
  'condition',
  'logic',
  'constant',
  'await',
  'refusal',
  'return',
  'clause',
  'bound',
  'flag',
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  path: string;
  /** Of the text of the file. */
  digest: string;
  line: number;
  kind: FaultKind;
  /** Offsets of the text that is replaced. */
  start: number;
  end: number;
  replacement: string;
}

type Found = Pick<Fault, 'kind' | 'start' | 'end' | 'replacement'>;

/** All possible faults of the file, in the order of the text. */
export function findFaults(path: string, text: string): Fault[] {
  const found: Fault[] = [];
  const digest = digestOf(text);
  const ignored: SyntaxNode[] = [];
  const orders: SyntaxNode[] = [];
  walkSyntax(parseFile(path, text), (node) => {
    if (isIgnored(node, text)) ignored.push(node);
    if (isOrder(node, text)) orders.push(node);
    for (const rule of rules) {
      for (const one of rule(node, text)) found.push({ path, digest, line: lineAt(text, one.start), ...one });
    }
  });
  const isIn = (fault: Found) => (node: SyntaxNode) => node.start <= fault.start && fault.end <= node.end;
  return found.filter(
    (fault) => !ignored.some(isIn(fault)) && !(fault.kind === 'comparison' && orders.some(isIn(fault))),
  );
}

/** A comparison that orders two values: equal values make no difference. */
function isOrder(node: SyntaxNode, text: string): boolean {
  const { operator = '', left, right } = (node.test ?? {}) as { operator?: string; left?: unknown; right?: unknown };
  if (node.type !== 'ConditionalExpression' || !/^[<>]/.test(operator)) return false;
  const words = (one: unknown) => text.slice((one as SyntaxNode).start, (one as SyntaxNode).end);
  const [first, second] = [words(node.consequent), words(node.alternate)];
  const isOneOfThem = (one: unknown, other: unknown) => words(one).includes(first) && words(other).includes(second);
  return [first, second].toSorted().join() === '-1,1' || isOneOfThem(left, right) || isOneOfThem(right, left);
}

/** Log statements, batch sizes, intervals and cache sizes: no test can notice a change. */
function isIgnored(node: SyntaxNode, text: string): boolean {
  if (node.type === 'IfStatement') return node.alternate === null && isLogged(node.consequent as SyntaxNode, text);
  const named = { VariableDeclarator: node.id, Property: node.key }[node.type] as { name?: string } | undefined;
  if (named !== undefined) return tuning.test(named.name ?? '') && !/=>/.test(text.slice(node.start, node.end));
  return isLogged(node, text);
}

const tuning = new RegExp(
  [
    '^((batch|page|export|step)Size|batchRows|(erase|check)Batch|atOnce|everyMs|(slice|export)Lines|sayEvery)$',
    '^(lookAgainMs|stepMs|mailsBetweenLooks|niceness|quickBrotli|level|few[A-Z][a-z]+|slot(Bytes|Count))$',
    '^(max|most)(Remembered|Lookups|Parsed|Formatters|Policies|Answers|Chains)$',
    '^(MAX_FORMATTERS|STATEMENTS_MAX|DEFAULT_MAX_KEYS)$',
    '[a-z](BatchSize|AtOnce|EveryMs)$',
  ].join('|'),
);

function isLogged(node: SyntaxNode, text: string): boolean {
  if (node.type === 'ExpressionStatement') return isLogged(node.expression as SyntaxNode, text);
  if (node.type === 'BlockStatement') return (node.body as SyntaxNode[]).every((one) => isLogged(one, text));
  if (node.type !== 'CallExpression') return false;
  const { start, end } = node.callee as SyntaxNode;
  return /(^|\.)log\.(debug|info|warn|error|fatal)$/.test(text.slice(start, end));
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

export function plant(text: string, fault: Pick<Fault, 'start' | 'end' | 'replacement'>): string {
  return text.slice(0, fault.start) + fault.replacement + text.slice(fault.end);
}

/** The text before and after, on one line. */
export function describeFault(text: string, fault: Fault): string {
  const oneLine = (part: string) => {
    const flat = part.replace(/\s+/g, ' ').trim();
    return flat.length > 60 ? `${flat.slice(0, 57)}…` : flat;
  };
  const after = oneLine(fault.replacement);
  return `${oneLine(text.slice(fault.start, fault.end)) || '(nothing)'} → ${after === '' || after === '{}' ? '(nothing)' : after}`;
}

type Rule = (node: SyntaxNode, text: string) => Found[];

const flipped: Record<string, string> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
};

/** Negates an equality; includes or excludes the border of an inequality. */
const comparison: Rule = (node, text) => {
  const replacement = node.type === 'BinaryExpression' ? flipped[node.operator as string] : undefined;
  // performance.now() never equals a limit.
  const isBorder = replacement !== undefined && !replacement.endsWith('==');
  if (isBorder && text.slice(node.start, node.end).includes('performance.now()')) return [];
  return replacement === undefined ? [] : [{ kind: 'comparison', ...operatorOf(node, text), replacement }];
};

const logic: Rule = (node, text) => {
  const other = { '&&': '||', '||': '&&' }[node.operator as string];
  if (node.type !== 'LogicalExpression' || other === undefined) return [];
  return [{ kind: 'logic', ...operatorOf(node, text), replacement: other }];
};

/** Negates a condition. */
const condition: Rule = (node, text) => {
  if (node.type !== 'IfStatement' && node.type !== 'ConditionalExpression') return [];
  const test = node.test as SyntaxNode;
  // `comparison` does the same.
  if (test.type === 'BinaryExpression' && flipped[test.operator as string]?.endsWith('==')) return [];
  return [{ kind: 'condition', ...span(test), replacement: `!(${text.slice(test.start, test.end)})` }];
};

/** Adds one to a small number; doubles a large one. */
const constant: Rule = (node, text) => {
  if (node.type !== 'VariableDeclarator' && node.type !== 'BinaryExpression' && node.type !== 'Property') return [];
  const parts = [
    node.init,
    node.left,
    node.right,
    node.type === 'Property' ? node.value : null,
  ] as (SyntaxNode | null)[];
  return parts.flatMap((part) => {
    if (part?.type !== 'Literal' || typeof part.value !== 'number') return [];
    const value = part.value;
    const raw = text.slice(part.start, part.end);
    return [{ kind: 'constant', ...span(part), replacement: value <= 100 ? `${value + 1}` : `(${raw} * 2)` } as const];
  });
};

/** Removes an awaited call. */
const awaited: Rule = (node) => {
  const expression = node.expression as SyntaxNode | undefined;
  const isAwaited =
    node.type === 'ExpressionStatement' &&
    expression?.type === 'AwaitExpression' &&
    (expression.argument as SyntaxNode).type === 'CallExpression';
  return isAwaited ? [{ kind: 'await', ...span(node), replacement: '{}' }] : [];
};

/** Removes a throw statement. */
const refusal: Rule = (node) =>
  node.type === 'ThrowStatement' ? [{ kind: 'refusal', ...span(node), replacement: '{}' }] : [];

/** Returns from a void function at its start. */
const early: Rule = (node, text) => {
  if (!/^(Function(Declaration|Expression)|ArrowFunctionExpression)$/.test(node.type)) return [];
  const body = node.body as SyntaxNode | null;
  const type = node.returnType as SyntaxNode | null | undefined;
  if (body?.type !== 'BlockStatement' || (body.body as unknown[]).length < 2 || !type) return [];
  if (!/^:\s*(Promise<void>|void)$/.test(text.slice(type.start, type.end))) return [];
  return [{ kind: 'return', start: body.start + 1, end: body.start + 1, replacement: ' return;' }];
};

const clauses = new Set(['where', 'whereRef', 'orderBy', 'limit', 'returning']);

/** Removes one clause of a query, or one column of an update. */
const clause: Rule = (node) => {
  if (node.type !== 'CallExpression') return [];
  const callee = node.callee as SyntaxNode;
  if (callee.type !== 'MemberExpression') return [];
  const name = (callee.property as { name?: string }).name ?? '';
  const [given] = node.arguments as SyntaxNode[];
  // A limit of one row, or of a batch, makes no difference.
  if (name === 'limit' && (given?.value === 1 || tuning.test((given as { name?: string } | undefined)?.name ?? '')))
    return [];
  if (clauses.has(name)) {
    return [{ kind: 'clause', start: (callee.object as SyntaxNode).end, end: node.end, replacement: '' }];
  }
  if (name !== 'set' || given?.type !== 'ObjectExpression') return [];
  const properties = given.properties as SyntaxNode[];
  return properties.length < 2
    ? []
    : properties.map((one, index) => {
        const next = properties[index + 1];
        const [start, end] = next === undefined ? [properties[index - 1]!.end, one.end] : [one.start, next.start];
        return { kind: 'clause', start, end, replacement: '' } as const;
      });
};

/** Swaps Math.min and Math.max. */
const bound: Rule = (node, text) => {
  if (node.type !== 'CallExpression') return [];
  const callee = span(node.callee as SyntaxNode);
  const replacement = { 'Math.min': 'Math.max', 'Math.max': 'Math.min' }[text.slice(callee.start, callee.end)];
  return replacement === undefined ? [] : [{ kind: 'bound', ...callee, replacement }];
};

/** Returns the other boolean. */
const flag: Rule = (node) => {
  const given = node.type === 'ReturnStatement' ? (node.argument as SyntaxNode | null) : null;
  if (given?.type !== 'Literal' || typeof given.value !== 'boolean') return [];
  return [{ kind: 'flag', ...span(given), replacement: String(!given.value) }];
};

const rules: Rule[] = [comparison, logic, condition, constant, awaited, refusal, early, clause, bound, flag];

function span({ start, end }: SyntaxNode): { start: number; end: number } {
  return { start, end };
}

/** Between both sides there are only the operator, spaces and comments. */
function operatorOf(node: SyntaxNode, text: string): { start: number; end: number } {
  const operator = node.operator as string;
  const start = text.indexOf(operator, (node.left as SyntaxNode).end);
  return { start, end: start + operator.length };
}

/** A sample that is the same for the same seed, with each kind about equally often. */
export function sampleFaults(faults: Fault[], count: number, seed: number): Fault[] {
  const random = randomFrom(seed);
  const groups = faultKinds.map((kind) =>
    shuffled(
      faults.filter((fault) => fault.kind === kind),
      random,
    ),
  );
  const sample: Fault[] = [];
  while (sample.length < count && groups.some((group) => group.length > 0)) {
    for (const group of groups) {
      const fault = group.pop();
      if (fault !== undefined && sample.length < count) sample.push(fault);
    }
  }
  return sample;
}

function shuffled<Item>(items: Item[], random: () => number): Item[] {
  const result = [...items];
  for (let at = result.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [result[at], result[other]] = [result[other]!, result[at]!];
  }
  return result;
}

/** Pseudo-random numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
