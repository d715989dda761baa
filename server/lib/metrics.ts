// Metrics of one process, their sum over processes, and the Prometheus text format 0.0.4 (docs/adr/0094).

export type Labels = Readonly<Record<string, string>>;

export interface Cell {
  value: number;
}

export interface CellFamily {
  /** Returns the same cell for the same labels. */
  of(labels?: Labels): Cell;
}

export interface HistogramFamily {
  of(labels?: Labels): { observe(value: number): void };
}

/** Plain data, for other processes. */
export interface Metric {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  /** The part after the name (`_sum{route="/"}`, or empty), and the number. */
  samples: [suffix: string, value: number][];
}

export interface Registry {
  counter(name: string, help: string): CellFamily;
  gauge(name: string, help: string): CellFamily;
  /** `bounds`: ascending upper limits, without infinity. */
  histogram(name: string, help: string, bounds: readonly number[]): HistogramFamily;
  snapshot(): Metric[];
}

export function createRegistry(): Registry {
  const readers: (() => Metric)[] = [];
  const cells = (type: 'counter' | 'gauge') => (name: string, help: string) => {
    const { of, all } = keyed<Cell>(() => ({ value: 0 }));
    readers.push(() => ({
      name,
      help,
      type,
      samples: [...all].map(([labels, cell]) => [braced(labels), cell.value]),
    }));
    return { of };
  };
  return {
    counter: cells('counter'),
    gauge: cells('gauge'),
    histogram(name, help, bounds) {
      const { of, all } = keyed(() => bucketsOf(bounds));
      readers.push(() => ({
        name,
        help,
        type: 'histogram',
        samples: [...all].flatMap(([labels, buckets]) => buckets.samples(labels)),
      }));
      return { of };
    },
    snapshot: () => readers.map((read) => read()),
  };
}

function keyed<Value>(make: () => Value): { of(labels?: Labels): Value; all: ReadonlyMap<string, Value> } {
  const all = new Map<string, Value>();
  return {
    all,
    of(labels = {}) {
      const key = labelText(labels);
      const known = all.get(key);
      if (known !== undefined) return known;
      const made = make();
      all.set(key, made);
      return made;
    },
  };
}

function bucketsOf(bounds: readonly number[]) {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  let sum = 0;
  return {
    observe(value: number): void {
      let at = 0;
      while (at < bounds.length && value > bounds[at]!) at += 1;
      counts[at]! += 1;
      sum += value;
    },
    samples(labels: string): Metric['samples'] {
      const samples: Metric['samples'] = [];
      let total = 0;
      for (const [index, count] of counts.entries()) {
        total += count;
        const limit = `le="${index < bounds.length ? bounds[index] : '+Inf'}"`;
        samples.push([`_bucket${braced(labels === '' ? limit : `${labels},${limit}`)}`, total]);
      }
      samples.push([`_sum${braced(labels)}`, sum], [`_count${braced(labels)}`, total]);
      return samples;
    },
  };
}

function labelText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`))}"`)
    .join(',');
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`;
}

/** Adds up metrics by labels. */
export function sumMetrics(snapshots: readonly (readonly Metric[])[]): Metric[] {
  const sums = new Map<string, Metric & { known: Map<string, number> }>();
  for (const figure of snapshots.flat()) {
    const sum = sums.get(figure.name) ?? { ...figure, known: new Map() };
    sums.set(figure.name, sum);
    for (const [suffix, value] of figure.samples) sum.known.set(suffix, (sum.known.get(suffix) ?? 0) + value);
  }
  return [...sums.values()].map(({ known, ...figure }) => ({ ...figure, samples: [...known] }));
}

/** They must survive the end of a process: a decrease would look like a restart. */
export function countersOf(metrics: readonly Metric[]): Metric[] {
  return metrics.filter(({ type }) => type !== 'gauge');
}

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

export function writeMetrics(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(
      ({ name, help, type, samples }) =>
        `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.map(([suffix, value]) => `${name}${suffix} ${value}\n`).join('')}`,
    )
    .join('');
}
