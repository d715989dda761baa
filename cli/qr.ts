// An address as a QR code (ISO/IEC 18004: byte mode, error correction M, versions 1 to 10), drawn with half blocks so that
// a phone can read it off a terminal.

export type Matrix = boolean[][];

/** Of versions 1 to 10 at error correction M. */
const correctionPerBlock = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26];
const blockCounts = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5];
const formatOfM = 0;

/** Null when the text is longer than 213 bytes. */
export function qrMatrix(text: string): Matrix | null {
  const bytes = new TextEncoder().encode(text);
  const version = blockCounts.findIndex((_, index) => bytes.length + headBytes(index + 1) <= dataBytes(index + 1)) + 1;
  if (version === 0) return null;
  const codewords = interleaved(version, filled(version, bytes));
  const drawn = [0, 1, 2, 3, 4, 5, 6, 7].map((mask) => draw(version, codewords, mask));
  return drawn.reduce((best, one) => (unrest(one) < unrest(best) ? one : best));
}

function headBytes(version: number): number {
  return version < 10 ? 2 : 3;
}

function sizeOf(version: number): number {
  return version * 4 + 17;
}

function alignmentsOf(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, index) => sizeOf(version) - 7 - step * (count - 2 - index))];
}

function allBytes(version: number): number {
  const count = alignmentsOf(version).length;
  const aligning = version === 1 ? 0 : (25 * count - 10) * count - 55;
  return Math.floor(((16 * version + 128) * version + 64 - aligning - (version >= 7 ? 36 : 0)) / 8);
}

function dataBytes(version: number): number {
  return allBytes(version) - correctionPerBlock[version - 1]! * blockCounts[version - 1]!;
}

/** Mode, length, the bytes, an end, and filling up to the room there is. */
function filled(version: number, bytes: Uint8Array): number[] {
  const bits: number[] = [];
  const put = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1);
  };
  put(4, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) put(byte, 8);
  put(0, Math.min(4, dataBytes(version) * 8 - bits.length));
  while (bits.length % 8 !== 0) bits.push(0);
  const words = Array.from({ length: bits.length / 8 }, (_, at) =>
    bits.slice(at * 8, at * 8 + 8).reduce((value, bit) => value * 2 + bit, 0),
  );
  for (let filler = 0xec; words.length < dataBytes(version); filler ^= 0xec ^ 0x11) words.push(filler);
  return words;
}

/** Blocks with their correction, word by word in turn; the last blocks may be one longer. */
function interleaved(version: number, data: number[]): number[] {
  const count = blockCounts[version - 1]!;
  const shortLength = Math.floor(data.length / count);
  const shortCount = count - (data.length % count);
  const divisor = divisorOf(correctionPerBlock[version - 1]!);
  const blocks: number[][] = [];
  for (let at = 0, block = 0; block < count; block += 1) {
    const length = shortLength + (block < shortCount ? 0 : 1);
    blocks.push(data.slice(at, at + length));
    at += length;
  }
  const corrections = blocks.map((block) => remainder(block, divisor));
  const turns = (lists: number[][]) =>
    Array.from({ length: Math.max(...lists.map((list) => list.length)) }, (_, at) =>
      lists.flatMap((list) => list[at] ?? []),
    ).flat();
  return [...turns(blocks), ...turns(corrections)];
}

function multiply(one: number, other: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1)
    product = (product << 1) ^ ((product >> 7) * 0x11d) ^ (((other >> bit) & 1) * one);
  return product;
}

function divisorOf(degree: number): number[] {
  const result: number[] = [...new Array<number>(degree - 1).fill(0), 1];
  for (let root = 1, turn = 0; turn < degree; turn += 1, root = multiply(root, 2))
    for (let at = 0; at < degree; at += 1) result[at] = multiply(result[at]!, root) ^ (result[at + 1] ?? 0);
  return result;
}

function remainder(data: number[], divisor: number[]): number[] {
  const result = divisor.map(() => 0);
  for (const word of data) {
    const factor = word ^ result.shift()!;
    result.push(0);
    divisor.forEach((coefficient, at) => {
      result[at]! ^= multiply(coefficient, factor);
    });
  }
  return result;
}

const masks: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

function draw(version: number, codewords: number[], mask: number): Matrix {
  const size = sizeOf(version);
  const known: (boolean | undefined)[][] = Array.from({ length: size }, () => new Array(size).fill(undefined));
  drawPatterns(known, version);
  drawFormat(known, mask);
  if (version >= 7) drawVersion(known, version);
  const matrix = known.map((row) => row.map((dark) => dark ?? false));
  let at = 0;
  // Pairs of columns from the right, up and down in turn; the column of the timing pattern is left out.
  const columns = Array.from({ length: (size - 1) / 2 }, (_, pair) => size - 1 - 2 * pair);
  for (const [pair, column] of columns.entries()) {
    const right = column > 6 ? column : column - 1;
    const isUpward = pair % 2 === 0;
    for (let step = 0; step < size; step += 1) {
      const y = isUpward ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (known[y]![x] !== undefined) continue;
        const bit = (((codewords[at >> 3] ?? 0) >> (7 - (at & 7))) & 1) === 1;
        matrix[y]![x] = bit !== masks[mask]!(x, y);
        at += 1;
      }
    }
  }
  return matrix;
}

type Known = (boolean | undefined)[][];

function drawPatterns(known: Known, version: number): void {
  const size = known.length;
  for (let at = 0; at < size; at += 1) known[6]![at] = known[at]![6] = at % 2 === 0;
  const places = alignmentsOf(version);
  const last = size - 7;
  for (const y of places)
    for (const x of places) {
      const isFinder = (x === 6 && y === 6) || (x === 6 && y === last) || (x === last && y === 6);
      if (!isFinder) drawRings(known, { x, y }, 2);
    }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    drawRings(known, { x, y }, 4);
}

/** Squares around a point: dark, light, dark; and for the finders a light border. */
function drawRings(known: Known, middle: { x: number; y: number }, reach: number): void {
  for (let dy = -reach; dy <= reach; dy += 1)
    for (let dx = -reach; dx <= reach; dx += 1) {
      const [x, y] = [middle.x + dx, middle.y + dy];
      if (known[y] === undefined || x < 0 || x >= known.length) continue;
      const ring = Math.max(Math.abs(dx), Math.abs(dy));
      known[y]![x] = reach === 2 ? ring !== 1 : ring !== 2 && ring !== 4;
    }
}

function drawFormat(known: Known, mask: number): void {
  const size = known.length;
  const data = (formatOfM << 3) | mask;
  let rest = data;
  for (let turn = 0; turn < 10; turn += 1) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
  const bits = ((data << 10) | rest) ^ 0x5412;
  for (let bit = 0; bit < 15; bit += 1) {
    const isDark = ((bits >> bit) & 1) === 1;
    const along = bit < 6 ? bit : bit < 8 ? bit + 1 : bit === 8 ? 7 : 14 - bit;
    if (bit < 8) known[along]![8] = isDark;
    else known[8]![along] = isDark;
    if (bit < 8) known[8]![size - 1 - bit] = isDark;
    else known[size - 15 + bit]![8] = isDark;
  }
  known[size - 8]![8] = true;
}

function drawVersion(known: Known, version: number): void {
  let rest = version;
  for (let turn = 0; turn < 12; turn += 1) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
  const bits = (version << 12) | rest;
  for (let bit = 0; bit < 18; bit += 1) {
    const isDark = ((bits >> bit) & 1) === 1;
    const [far, near] = [known.length - 11 + (bit % 3), Math.floor(bit / 3)];
    known[near]![far] = known[far]![near] = isDark;
  }
}

/** Long lines and blocks of one colour confuse readers; the mask with the fewest is taken. */
function unrest(matrix: Matrix): number {
  let total = 0;
  const size = matrix.length;
  const at = (x: number, y: number) => matrix[y]![x]!;
  for (let one = 0; one < size; one += 1)
    for (const cell of [(other: number) => at(other, one), (other: number) => at(one, other)]) {
      let run = 0;
      for (let other = 0; other < size; other += 1) {
        run = other > 0 && cell(other) === cell(other - 1) ? run + 1 : 1;
        if (run === 5) total += 3;
        else if (run > 5) total += 1;
      }
    }
  for (let y = 1; y < size; y += 1)
    for (let x = 1; x < size; x += 1)
      if (at(x, y) === at(x - 1, y) && at(x, y) === at(x, y - 1) && at(x, y) === at(x - 1, y - 1)) total += 3;
  return total;
}

const quiet = 4;

/** Two rows in one line of text; light is drawn, so that it reads on a dark terminal, and with colours on any. */
export function qrPicture(matrix: Matrix, hasColour: boolean): string[] {
  const isLight = (x: number, y: number) => matrix[y]?.[x] !== true;
  const lines: string[] = [];
  for (let y = -quiet; y < matrix.length + quiet; y += 2) {
    let line = '';
    for (let x = -quiet; x < matrix.length + quiet; x += 1)
      line += [' ', '▄', '▀', '█'][(isLight(x, y) ? 2 : 0) + (isLight(x, y + 1) ? 1 : 0)];
    lines.push(hasColour ? `\u001b[97;40m${line}\u001b[0m` : line);
  }
  return lines;
}
