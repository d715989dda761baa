// Single faults that could be in a file: where each would be and what it would read. Pure: nothing is written and nothing
// is run here. Every fault leaves a file that parses.
import { lineAt, parseFile, type SyntaxNode, walkSyntax } from '../imports.ts';

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
  line: number;
  kind: FaultKind;
  /** What is replaced, as offsets, and by what. */
  start: number;
  end: number;
  replacement: string;
}

type Found = Pick<Fault, 'kind' | 'start' | 'end' | 'replacement'>;

/** Every fault that can be planted in this file, in the order of the text. */
export function findFaults(path: string, text: string): Fault[] {
  const found: Fault[] = [];
  const pointless: SyntaxNode[] = [];
  const orders: SyntaxNode[] = [];
  walkSyntax(parseFile(path, text), (node) => {
    if (isPointless(node, text)) pointless.push(node);
    if (isOrder(node, text)) orders.push(node);
    for (const rule of rules) {
      for (const one of rule(node, text)) found.push({ path, line: lineAt(text, one.start), ...one });
    }
  });
  const isIn = (fault: Found) => (node: SyntaxNode) => node.start <= fault.start && fault.end <= node.end;
  return found.filter(
    (fault) => !pointless.some(isIn(fault)) && !(fault.kind === 'comparison' && orders.some(isIn(fault))),
  );
}

/** Which of two comes first, or is taken: it makes no difference where they are the same. */
function isOrder(node: SyntaxNode, text: string): boolean {
  const { operator = '', left, right } = (node.test ?? {}) as { operator?: string; left?: unknown; right?: unknown };
  if (node.type !== 'ConditionalExpression' || !/^[<>]/.test(operator)) return false;
  const words = (one: unknown) => text.slice((one as SyntaxNode).start, (one as SyntaxNode).end);
  const [first, second] = [words(node.consequent), words(node.alternate)];
  const isOneOfThem = (one: unknown, other: unknown) => words(one).includes(first) && words(other).includes(second);
  return [first, second].toSorted().join() === '-1,1' || isOneOfThem(left, right) || isOneOfThem(right, left);
}

/**
 * Lines of the log and whether one is written; how much is done at a time, how often something is looked at, and how many
 * results are remembered. Nobody outside sees a difference, except in speed.
 */
function isPointless(node: SyntaxNode, text: string): boolean {
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

export function plant(text: string, fault: Pick<Fault, 'start' | 'end' | 'replacement'>): string {
  return text.slice(0, fault.start) + fault.replacement + text.slice(fault.end);
}

/** One line for people: what was there and what is there now. */
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

/** Flips a comparison, or moves its border by one. */
const comparison: Rule = (node, text) => {
  const replacement = node.type === 'BinaryExpression' ? flipped[node.operator as string] : undefined;
  // A clock with fractions of microseconds never meets its border.
  const isBorder = replacement !== undefined && !replacement.endsWith('==');
  if (isBorder && text.slice(node.start, node.end).includes('performance.now()')) return [];
  return replacement === undefined ? [] : [{ kind: 'comparison', ...operatorOf(node, text), replacement }];
};

const logic: Rule = (node, text) => {
  const other = { '&&': '||', '||': '&&' }[node.operator as string];
  if (node.type !== 'LogicalExpression' || other === undefined) return [];
  return [{ kind: 'logic', ...operatorOf(node, text), replacement: other }];
};

/** Takes the other branch. */
const condition: Rule = (node, text) => {
  if (node.type !== 'IfStatement' && node.type !== 'ConditionalExpression') return [];
  const test = node.test as SyntaxNode;
  // A comparison has a fault of its own that says the same.
  if (test.type === 'BinaryExpression' && flipped[test.operator as string]?.endsWith('==')) return [];
  return [{ kind: 'condition', ...span(test), replacement: `!(${text.slice(test.start, test.end)})` }];
};

/** One more of what is counted; twice as much of what is measured. */
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

/** Forgets to do something that was waited for. */
const awaited: Rule = (node) => {
  const expression = node.expression as SyntaxNode | undefined;
  const isAwaited =
    node.type === 'ExpressionStatement' &&
    expression?.type === 'AwaitExpression' &&
    (expression.argument as SyntaxNode).type === 'CallExpression';
  return isAwaited ? [{ kind: 'await', ...span(node), replacement: '{}' }] : [];
};

/** Lets pass what must be refused. */
const refusal: Rule = (node) =>
  node.type === 'ThrowStatement' ? [{ kind: 'refusal', ...span(node), replacement: '{}' }] : [];

/** Leaves a function that gives nothing back before it has done anything. */
const early: Rule = (node, text) => {
  if (!/^(Function(Declaration|Expression)|ArrowFunctionExpression)$/.test(node.type)) return [];
  const body = node.body as SyntaxNode | null;
  const type = node.returnType as SyntaxNode | null | undefined;
  if (body?.type !== 'BlockStatement' || (body.body as unknown[]).length < 2 || !type) return [];
  if (!/^:\s*(Promise<void>|void)$/.test(text.slice(type.start, type.end))) return [];
  return [{ kind: 'return', start: body.start + 1, end: body.start + 1, replacement: ' return;' }];
};

const clauses = new Set(['where', 'whereRef', 'orderBy', 'limit', 'returning']);

/** Forgets one line of a query, or one column of what it sets. */
const clause: Rule = (node) => {
  if (node.type !== 'CallExpression') return [];
  const callee = node.callee as SyntaxNode;
  if (callee.type !== 'MemberExpression') return [];
  const name = (callee.property as { name?: string }).name ?? '';
  const [given] = node.arguments as SyntaxNode[];
  // Whoever asks for one row takes the first of many too, and a batch is how much is done at a time.
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

/** Takes the larger of two where the smaller is meant. */
const bound: Rule = (node, text) => {
  if (node.type !== 'CallExpression') return [];
  const callee = span(node.callee as SyntaxNode);
  const replacement = { 'Math.min': 'Math.max', 'Math.max': 'Math.min' }[text.slice(callee.start, callee.end)];
  return replacement === undefined ? [] : [{ kind: 'bound', ...callee, replacement }];
};

const flag: Rule = (node) => {
  const given = node.type === 'ReturnStatement' ? (node.argument as SyntaxNode | null) : null;
  if (given?.type !== 'Literal' || typeof given.value !== 'boolean') return [];
  return [{ kind: 'flag', ...span(given), replacement: String(!given.value) }];
};

const rules: Rule[] = [comparison, logic, condition, constant, awaited, refusal, early, clause, bound, flag];

function span({ start, end }: SyntaxNode): { start: number; end: number } {
  return { start, end };
}

/** The operator is between both sides, with only space and comments beside it. */
function operatorOf(node: SyntaxNode, text: string): { start: number; end: number } {
  const operator = node.operator as string;
  const start = text.indexOf(operator, (node.left as SyntaxNode).end);
  return { start, end: start + operator.length };
}
