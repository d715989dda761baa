// The figures of all workers as one: asks each, adds them up, and keeps what those have counted that ended. A worker that
// does not reply in time counts with what it said last.
import { countersOf, type Figure, sumFigures } from '../lib/metrics.ts';

/** What one worker says; one of them speaks for the whole installation too. */
export interface WorkerFigures {
  own: Figure[];
  installation: Figure[];
}

export interface FigureSource {
  id: number;
  ask(number: number, isSpokesman: boolean): void;
}

export interface FigureCollector {
  collect(sources: readonly FigureSource[]): Promise<Figure[]>;
  answered(id: number, number: number, figures: WorkerFigures): void;
  /** The worker is gone. */
  ended(id: number): void;
}

const patienceMs = 6_000;

export function createFigureCollector(): FigureCollector {
  const said = new Map<number, Figure[]>();
  const waiting = new Map<string, (figures: WorkerFigures | null) => void>();
  let ofTheDead: Figure[] = [];
  let asked = 0;

  function ask(source: FigureSource, number: number, isSpokesman: boolean): Promise<WorkerFigures | null> {
    const key = `${source.id} ${number}`;
    const { promise, resolve } = Promise.withResolvers<WorkerFigures | null>();
    const timer = setTimeout(() => resolve(null), patienceMs);
    waiting.set(key, resolve);
    source.ask(number, isSpokesman);
    return promise.finally(() => {
      clearTimeout(timer);
      waiting.delete(key);
    });
  }

  return {
    async collect(sources) {
      const number = ++asked;
      const replies = await Promise.all(sources.map((source, index) => ask(source, number, index === 0)));
      const installation = replies.find((reply) => reply !== null && reply.installation.length > 0)?.installation ?? [];
      return sumFigures([...said.values(), ofTheDead, installation]);
    },
    answered(id, number, figures) {
      said.set(id, figures.own);
      waiting.get(`${id} ${number}`)?.(figures);
    },
    ended(id) {
      ofTheDead = sumFigures([ofTheDead, countersOf(said.get(id) ?? [])]);
      said.delete(id);
      for (const [key, resolve] of waiting) if (key.startsWith(`${id} `)) resolve(null);
    },
  };
}
