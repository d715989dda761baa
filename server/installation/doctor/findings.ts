// What the doctor finds: one line each, with what cures it. A look takes no longer than it is given and never throws.
import { sentencesFor } from '../../domain/operator-sentences.ts';

export type FindingState = 'ok' | 'warn' | 'fault';

export interface Finding {
  /** What was looked at. */
  look: string;
  state: FindingState;
  sentence: string;
  /** The command or setting that cures it; null when all is well. */
  cure: string | null;
  /** What the other side said, in its own words. */
  said: string;
}

export function ok(look: string, sentence: string): Finding {
  return { look, state: 'ok', sentence, cure: null, said: '' };
}

export function warn(look: string, sentence: string, cure: string): Finding {
  return { look, state: 'warn', sentence, cure, said: '' };
}

export function fault(look: string, sentence: string, cure: string, said = ''): Finding {
  return { look, state: 'fault', sentence, cure, said };
}

export interface Look {
  name: string;
  limitMs: number;
  /** What to do when it fails in a way that it does not expect, or does not end in time. */
  cure: string;
  look(): Promise<Finding[]>;
}

export async function takeLook({ name, limitMs, cure, look }: Look): Promise<Finding[]> {
  const late = Promise.withResolvers<Finding[]>();
  const timer = setTimeout(
    () => late.resolve([fault(name, `No answer within ${limitMs / 1000} seconds.`, cure)]),
    limitMs,
  );
  const found = look().catch((error: unknown) => [fault(name, wordsOf(error), cure)]);
  return Promise.race([found, late.promise]).finally(() => clearTimeout(timer));
}

/** Also of what we did not expect: the doctor goes on with its next look. */
export function wordsOf(error: unknown): string {
  const known = sentencesFor(error);
  if (known !== null) return known.join(' ');
  return error instanceof Error ? error.message : String(error);
}
