import { csvLine } from '../../lib/csv.ts';
import { type Reply, sendChunks, sendList } from './answers.ts';

type Cell = string | number;

export interface Table<Item> {
  columns: readonly string[];
  cells(item: Item): Cell[];
}

/** `name`: of the file, without `.csv`. */
export async function sendCsv<Item>(
  reply: Reply,
  name: string,
  pages: AsyncIterable<Item[]>,
  table: Table<Item>,
): Promise<void> {
  const headers = { ...attachment(`${name}.csv`), 'content-type': 'text/csv; charset=utf-8; header=present' };
  await sendChunks({ ...reply, headers }, csvOf(pages, table));
}

/** `list`: the property of the answer that holds the list. */
export async function sendJsonFile<Item>(
  reply: Reply,
  { name, list }: { name: string; list: string },
  pages: AsyncIterable<Item[]>,
  write: (item: Item) => unknown,
): Promise<void> {
  await sendList({ ...reply, headers: attachment(`${name}.json`) }, list, pages, write);
}

/** Sent with the first rows, so that a refusal before them is still an answer. */
async function* csvOf<Item>(pages: AsyncIterable<Item[]>, { columns, cells }: Table<Item>): AsyncGenerator<string> {
  let head = csvLine([...columns]);
  for await (const page of pages) {
    yield head + page.map((item) => csvLine(cells(item))).join('');
    head = '';
  }
  if (head !== '') yield head;
}

function attachment(fileName: string): Record<string, string> {
  return { 'content-disposition': `attachment; filename="${fileName}"` };
}
