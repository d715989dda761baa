// How a cost grows with something: what part `growth` measures and `npm run bench:plot` draws.

export interface Series {
  /** Of the file that it is drawn into. */
  name: string;
  title: string;
  xLabel: string;
  /** With its unit; less is better. */
  yLabel: string;
  lines: Line[];
}

export interface Line {
  name: string;
  points: Point[];
}

export interface Point {
  x: number;
  y: number;
}

/** Puts a measure to each line of a series, one point after the other. */
export async function measureLines<X extends number>(
  xs: X[],
  names: string[],
  measure: (x: X) => Promise<number[]>,
): Promise<Line[]> {
  const lines = names.map((name): Line => ({ name, points: [] }));
  for (const x of xs) {
    const ys = await measure(x);
    for (const [index, line] of lines.entries()) line.points.push({ x, y: ys[index]! });
  }
  return lines;
}

/** For people who read the run rather than the plot. */
export function printSeries({ title, xLabel, yLabel, lines }: Series): string {
  const text = lines.map(({ name, points }) => {
    const pairs = points.map(({ x, y }) => `${x.toLocaleString('en')}: ${Number(y.toPrecision(3))}`);
    return `  ${name}: ${pairs.join(', ')}`;
  });
  return [`${title} (${xLabel}: ${yLabel})`, ...text].join('\n');
}
