// Findings of the doctor, and the time limit of its checks.
import { sentencesFor } from '../../domain/operator-sentences.ts';
import { counted } from '../../lib/counted.ts';

export type FindingState = 'ok' | 'warn' | 'fault';

export interface Finding {
  /** Name of the check. */
  look: string;
  state: FindingState;
  sentence: string;
  /** Command or setting; null when all is well. */
  cure: string | null;
  /** The other side's own message. */
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

export interface DoctorCheck {
  name: string;
  limitMs: number;
  /** For unexpected errors and timeouts. */
  cure: string;
  run(): Promise<Finding[]>;
}

export async function runCheck({ name, limitMs, cure, run }: DoctorCheck): Promise<Finding[]> {
  const late = Promise.withResolvers<Finding[]>();
  const timer = setTimeout(
    () => late.resolve([fault(name, `No answer within ${counted(limitMs / 1000, 'second')}.`, cure)]),
    limitMs,
  );
  const found = run().catch((error: unknown) => [fault(name, messageOf(error), cure)]);
  return Promise.race([found, late.promise]).finally(() => clearTimeout(timer));
}

/** Also for unexpected errors, so that the doctor continues. */
export function messageOf(error: unknown): string {
  const known = sentencesFor(error);
  if (known !== null) return known.join(' ');
  return error instanceof Error ? error.message : String(error);
}
