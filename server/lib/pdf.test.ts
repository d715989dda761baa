import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { type PdfBlock, renderPdf } from './pdf.ts';

interface Page {
  texts: { x: number; y: number }[];
  rules: number[];
}

const pageHeight = 841.89;

/** Parses the drawing operations of the document. */
function pagesOf(pdf: Buffer): Page[] {
  const pages: Page[] = [];
  const text = pdf.toString('latin1');
  for (const found of text.matchAll(/stream\n([\s\S]*?)\nendstream/g)) {
    const drawn = inflated(Buffer.from(found[1]!, 'latin1'));
    if (drawn === null || !drawn.includes(' Tm')) continue;
    const texts = [...drawn.matchAll(/1 0 0 1 ([\d.]+) ([\d.]+) Tm/g)];
    const rules = [...drawn.matchAll(/^[\d.]+ ([\d.]+) m\n[\d.]+ \1 l$/gm)];
    pages.push({
      texts: texts.map(([, x, y]) => ({ x: Number(x), y: pageHeight - Number(y) })),
      rules: rules.map(([, y]) => Number(y)),
    });
  }
  return pages;
}

function inflated(bytes: Buffer): string | null {
  try {
    return inflateSync(bytes).toString('latin1');
  } catch {
    return null;
  }
}

async function render(...blocks: PdfBlock[]): Promise<Page[]> {
  return pagesOf(await document('Receipt', blocks));
}

function document(title: string, blocks: PdfBlock[]): Promise<Buffer> {
  return renderPdf({
    title,
    author: 'Waybill',
    language: 'en',
    madeAt: new Date(0),
    blocks,
    footer: (page, pages) => `${page} of ${pages}`,
    file: { name: 'receipt.json', text: '{}', description: 'the same' },
  });
}

function drawnIn(pdf: Buffer): string[] {
  return [...pdf.toString('latin1').matchAll(/stream\n([\s\S]*?)\nendstream/g)]
    .map((found) => inflated(Buffer.from(found[1]!, 'latin1')) ?? '')
    .filter((drawn) => drawn.includes(' Tm'));
}

const columns = [
  { label: 'File', share: 1 },
  { label: 'Size', share: 1, isNumber: true },
] as const;
const table = (...rows: string[][]): PdfBlock => ({ is: 'table', columns: [...columns], rows });
const long = 'a name of many words that needs several lines of its column '.repeat(4);

describe('a table', () => {
  test('has rows as high as their highest cell, whichever that is', async () => {
    const heights = async (...row: string[]) => {
      const [page] = await render(table(['a', '1'], row, ['b', '2']));
      const [, first, second, third] = page!.rules;
      return [second! - first!, third! - second!].map((height) => Math.round(height * 10) / 10);
    };
    const [plain, next] = await heights('c', '3');
    assert.equal(plain, next);
    for (const row of [
      [long, '3'],
      ['c', long],
    ]) {
      const [high, after] = await heights(...row);
      assert.ok(high! > 3 * plain!, `${high} is not the height of several lines`);
      assert.equal(after, plain);
    }
  });

  test('draws each row between the rules above and below it', async () => {
    const [page] = await render(table(['a', '1'], [long, '2'], ['b', '3']));
    const rules = page!.rules;
    const numbers = page!.texts.filter(({ x }) => x > 500).map(({ y }) => y);
    assert.equal(numbers.length, 4, 'the name of the column and three numbers');
    for (const [row, y] of numbers.entries()) {
      assert.ok(y < rules[row]!, `row ${row} is above its rule`);
      if (row > 0) assert.ok(y > rules[row - 1]!, `row ${row} is below the rule before it`);
    }
  });

  test('continues on the next page with its column names, and no row is split', async () => {
    const rows = Array.from({ length: 60 }, (_, number) => [number % 7 === 0 ? long : 'short', String(number)]);
    const pages = await render(table(...rows));
    assert.ok(pages.length > 1);
    const ruled = pages.reduce((sum, page) => sum + page.rules.length, 0);
    assert.equal(ruled, rows.length + pages.length, 'a rule for each row, and one below the names on each page');
    for (const { rules } of pages) assert.ok(Math.max(...rules) <= pageHeight - 50 - 30 + 2);
  });
});

test('every page has its number, from one, and that of the last at its foot', async () => {
  const numbers: string[] = [];
  await renderPdf({
    title: 'Receipt',
    author: 'Waybill',
    language: 'en',
    madeAt: new Date(0),
    blocks: [table(...Array.from({ length: 90 }, (_, number) => ['short', String(number)]))],
    footer: (page, pages) => `${numbers.push(`${page} of ${pages}`)}`,
    file: { name: 'receipt.json', text: '{}', description: 'the same' },
  });
  assert.ok(numbers.length > 1);
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => `${index + 1} of ${numbers.length}`),
  );
});

describe('pairs', () => {
  test('begin on the page they are on if a good part of them fits, and on the next one otherwise', async () => {
    const filled = (lines: number): PdfBlock[] => Array.from({ length: lines }, () => ({ is: 'text', text: 'x' }));
    const pair = (value: string): PdfBlock => ({ is: 'pairs', rows: [['Name', value]] });
    const isOnFirst = async (lines: number, value: string) => {
      const [alone] = await render(...filled(lines));
      const [page] = await render(...filled(lines), pair(value));
      return page!.texts.length > alone!.texts.length;
    };
    const high = long.repeat(12);
    // 30 lines leave more than 200 points, 40 leave fewer; the value needs more than both.
    assert.equal(await isOnFirst(30, high), true);
    assert.equal(await isOnFirst(40, high), false);
    assert.equal(await isOnFirst(40, 'short'), true);
  });

  test('are as high as the name or the value, whichever is higher', async () => {
    const next = async (name: string, value: string) => {
      const rows: [string, string][] = [
        [name, value],
        ['Next', 'x'],
      ];
      const [page] = await render({ is: 'pairs', rows });
      // The last texts are the name and the value of the next pair, and the page footer.
      return page!.texts.at(-3)!.y;
    };
    const plain = await next('Name', 'value');
    assert.ok((await next('Name', long)) > plain + 20);
    assert.ok((await next(long, 'value')) > plain + 20);
  });
});

test('an invisible character is drawn as a mark', async () => {
  const drawn = async (name: string) => drawnIn(await document(name, [table([name, '1'])]));
  const marked = await drawn('An[U+200B]n[U+E0041]');
  assert.equal(marked.length, 1);
  assert.deepEqual(await drawn('An\u200bn\u{e0041}'), marked);
  assert.notDeepEqual(await drawn('Ann'), marked);
});
