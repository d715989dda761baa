// Reads PowerShell as its tokenizer does, for machines without PowerShell: strings, here-strings, line continuation,
// comments and brackets. It throws where PowerShell would report a parse error, and does not run anything.

export interface Token {
  kind: 'word' | 'text' | 'template' | 'mark' | 'end';
  text: string;
}

// PowerShell accepts curly quotes as quotes.
const single = /['\u2018\u2019\u201A\u201B]/u;
const double = /["\u201C\u201D\u201E]/u;
const closing: Record<string, string> = { '(': ')', '[': ']', '{': '}' };

/** Statements end with an `end` token, as at the end of a line outside of brackets. */
export function tokensOf(code: string): Token[] {
  const tokens: Token[] = [];
  const open: string[] = [];
  const push = (kind: Token['kind'], text: string) => void tokens.push({ kind, text });
  for (let at = 0; at < code.length; ) {
    const rest = code.slice(at);
    const found =
      readHereString(rest) ?? readText(rest) ?? readMatch(rest, /^(?:[ \t]+|`\r?\n|#[^\n]*)/) ?? readBroken(rest);
    if (found !== null) {
      if (found.token !== undefined) tokens.push(found.token);
      at += found.length;
      continue;
    }
    const mark = /^(?:\r?\n|[;|&,=()[\]{}]|@(?=[({]))/.exec(rest)?.[0];
    if (mark === undefined) {
      const word = /^(?:`[^\r\n]|[^\s;|&,=()[\]{}'"`\u2018-\u201E])+/u.exec(rest)?.[0];
      if (word === undefined) throw new SyntaxError(`unexpected ${JSON.stringify(rest.slice(0, 20))}`);
      push('word', word);
      at += word.length;
      continue;
    }
    if (mark.endsWith('\n') || mark === ';') {
      if (open.length === 0 && tokens.at(-1)?.text !== '|') push('end', mark);
    } else push('mark', mark);
    if (mark in closing) open.push(closing[mark]!);
    else if (/^[)\]}]$/.test(mark) && open.pop() !== mark) throw new SyntaxError(`a ${mark} closes nothing`);
    at += mark.length;
  }
  if (open.length > 0) throw new SyntaxError(`a ${open.at(-1)} is missing`);
  return tokens;
}

interface Found {
  length: number;
  token?: Token;
}

/** The opening quote ends its line, and the closing one begins its own. */
function readHereString(rest: string): Found | null {
  if (rest[0] !== '@' || rest[1] === undefined) return null;
  const quote = [single, double].find((one) => one.test(rest[1]!));
  if (quote === undefined) return null;
  const head = /^@.[ \t]*\r?\n/u.exec(rest)?.[0];
  if (head === undefined) throw new SyntaxError('text follows the beginning of a here-string');
  const lines = rest.slice(head.length).split('\n');
  const last = lines.findIndex((line) => quote.test(line[0] ?? '') && line[1] === '@');
  if (last === -1) throw new SyntaxError('a here-string does not end');
  const text = lines.slice(0, last).join('\n');
  const length = head.length + (last === 0 ? 0 : text.length + 1) + 2;
  return { length, token: { kind: quote === single ? 'text' : 'template', text } };
}

function readText(rest: string): Found | null {
  const quote = [single, double].find((one) => one.test(rest[0]!));
  if (quote === undefined) return null;
  let text = '';
  for (let at = 1; at < rest.length; at += 1) {
    const letter = rest[at]!;
    if (quote === double && letter === '`') {
      text += letter + (rest[at + 1] ?? '');
      at += 1;
    } else if (!quote.test(letter)) text += letter;
    else if (quote.test(rest[at + 1] ?? '')) {
      text += letter;
      at += 1;
    } else return { length: at + 1, token: { kind: quote === single ? 'text' : 'template', text } };
  }
  throw new SyntaxError(`a string does not end: ${rest.slice(0, 40)}`);
}

function readMatch(rest: string, pattern: RegExp): Found | null {
  const match = pattern.exec(rest);
  return match === null ? null : { length: match[0].length };
}

/** A backtick continues a line only as its last character. */
function readBroken(rest: string): null {
  if (/^`[ \t]+\r?(\n|$)/.test(rest)) throw new SyntaxError('space follows the backtick that continues a line');
  if (rest === '`') throw new SyntaxError('the last line is continued');
  return null;
}

export interface PowerShellRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  type: string | null;
  body: string | null;
  file: string | null;
}

/** The request of a sample that assigns variables and calls Invoke-RestMethod once. */
export function requestOf(code: string): PowerShellRequest {
  const variables = new Map<string, string | Record<string, string>>();
  const requests: PowerShellRequest[] = [];
  for (const statement of statementsOf(tokensOf(code))) {
    const [first, second] = statement;
    if (first?.kind === 'word' && first.text.startsWith('$') && second?.text === '=')
      variables.set(first.text, assignedValue(statement.slice(2)));
    else if (first?.text === 'Invoke-RestMethod') requests.push(parametersOf(statement.slice(1), variables));
    else throw new SyntaxError(`neither an assignment nor a request: ${first?.text}`);
  }
  if (requests.length !== 1) throw new SyntaxError(`${requests.length} requests`);
  return requests[0]!;
}

function statementsOf(tokens: readonly Token[]): Token[][] {
  const statements: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === 'end') statements.push([]);
    else statements.at(-1)!.push(token);
  }
  return statements.filter((statement) => statement.length > 0);
}

function assignedValue(tokens: readonly Token[]): string | Record<string, string> {
  const [first, ...rest] = tokens;
  if (first?.kind === 'text' && rest.length === 0) return first.text;
  const [brace, name, equals, value, end] = rest;
  const isTable = first?.text === '@' && brace?.text === '{' && equals?.text === '=' && end?.text === '}';
  if (!isTable || rest.length !== 5 || name?.kind !== 'word' || value?.kind !== 'template')
    throw new SyntaxError('a value is neither a string nor a table');
  return { [name.text]: value.text };
}

function parametersOf(
  tokens: readonly Token[],
  variables: ReadonlyMap<string, string | Record<string, string>>,
): PowerShellRequest {
  const given = new Map<string, string | Record<string, string>>();
  for (let at = 0; at < tokens.length; at += 2) {
    const [name, value] = [tokens[at]!, tokens[at + 1]];
    if (name.kind !== 'word' || !/^-[A-Z]\w+$/.test(name.text) || value === undefined || given.has(name.text))
      throw new SyntaxError(`not a parameter with a value: ${name.text}`);
    const isVariable = value.kind === 'word' && value.text.startsWith('$');
    if (isVariable && !variables.has(value.text)) throw new SyntaxError(`${value.text} is not set`);
    if (value.kind === 'mark') throw new SyntaxError(`${name.text} has no value`);
    given.set(name.text, isVariable ? variables.get(value.text)! : value.text);
  }
  const take = (name: string): string | null => {
    const value = given.get(name) ?? null;
    given.delete(name);
    if (value !== null && typeof value !== 'string') throw new SyntaxError(`${name} is a table`);
    return value;
  };
  const headers = given.get('-Headers') ?? {};
  given.delete('-Headers');
  if (typeof headers === 'string') throw new SyntaxError('-Headers is no table');
  const request = {
    method: take('-Method') ?? '',
    url: take('-Uri') ?? '',
    headers,
    type: take('-ContentType'),
    body: take('-Body'),
    file: take('-InFile'),
  };
  if (given.size > 0) throw new SyntaxError(`unknown: ${[...given.keys()]}`);
  return request;
}
