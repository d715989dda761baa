// Reads CSV as spreadsheets write it: comma, semicolon or tab, quotes, optional column names.

export interface PersonLine {
  line: number;
  email: string;
  name: string;
  group: string;
}

/** Fatal errors. */
export type CsvFault = 'no-end-of-quote' | 'no-addresses';

export function readPeople(text: string): { people: PersonLine[] } | { fault: CsvFault; line: number } {
  const rows = readRows(text.replace(/^\uFEFF/, ''));
  if ('fault' in rows) return rows;
  const filled = rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const named = filled[0] === undefined ? null : columnsNamedIn(filled[0].cells);
  const columns = named ?? { email: 0, name: 1, group: 2 };
  const people = filled.slice(named === null ? 0 : 1).map(({ line, cells }) => ({
    line,
    email: cells[columns.email]?.trim() ?? '',
    name: cells[columns.name]?.trim() ?? '',
    group: cells[columns.group]?.trim() ?? '',
  }));
  return people.some(({ email }) => email.includes('@')) ? { people } : { fault: 'no-addresses', line: 1 };
}

interface CsvRow {
  line: number;
  cells: string[];
}

function readRows(text: string): CsvRow[] | { fault: CsvFault; line: number } {
  const separator = separatorOf(text);
  const rows: CsvRow[] = [];
  let row: CsvRow = { line: 1, cells: [] };
  let cell = '';
  let quotedSince: number | null = null;
  let line = 1;
  const endRow = () => {
    rows.push({ ...row, cells: [...row.cells, cell] });
    row = { line, cells: [] };
    cell = '';
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '\n') line++;
    if (quotedSince !== null) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at++;
      } else quotedSince = null;
    } else if (character === '"' && cell.trim() === '') {
      cell = '';
      quotedSince = line;
    } else if (character === separator) {
      row.cells.push(cell);
      cell = '';
    } else if (character === '\n') endRow();
    else if (character !== '\r') cell += character;
  }
  if (quotedSince !== null) return { fault: 'no-end-of-quote', line: quotedSince };
  endRow();
  return rows;
}

/** The most frequent one in the first line. */
function separatorOf(text: string): string {
  const first = text.slice(0, text.indexOf('\n') === -1 ? undefined : text.indexOf('\n'));
  const count = (character: string) => first.split(character).length;
  return [',', ';', '\t'].toSorted((one, other) => count(other) - count(one))[0]!;
}

const names = {
  email: /^(e-?mail|mail|address|adresse|correo|e-?post)/i,
  name: /^(name|full.?name|nom|nombre|namn)/i,
  group: /^(group|gruppe|grupo|groupe|grupp)/i,
};

/** Null if the first line is a person. */
function columnsNamedIn(cells: string[]): { email: number; name: number; group: number } | null {
  if (cells.some((cell) => cell.includes('@'))) return null;
  const find = (pattern: RegExp) => cells.findIndex((cell) => pattern.test(cell.trim()));
  const email = find(names.email);
  return email === -1 ? null : { email, name: find(names.name), group: find(names.group) };
}
