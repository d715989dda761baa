// Refusals that may be shown to people. Any other thrown error is a bug:
// it is logged and answered as a 500 without detail. Never carries a secret or a stack.
import type { PolicyKey } from './policy.ts';

/** The kinds the HTTP edge turns into statuses; the table is in `server/http/transport/problems.ts`. */
export type ProblemKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'gone'
  | 'conflict'
  | 'too_large'
  | 'rate_limited'
  | 'unavailable'
  | 'full';

/** A setting that another administrator changed. */
export interface ConflictingChange {
  setting: string;
  from: unknown;
  to: unknown;
  /** E-mail address, or the id of a deleted person. */
  by: string;
  at: number;
}

/** Facts a refusal may add for programs and for the edge. */
export interface ProblemDetails {
  /** The one input field to blame, if there is one. */
  field?: string;
  /** For `rate_limited` and `unavailable`: when trying again makes sense. */
  retryAfterSeconds?: number;
  /** For `conflict`: what was changed since, for programs that merge. */
  conflictingChanges?: ConflictingChange[];
  /** All sentences when several inputs are wrong. The first is the message. */
  others?: string[];
}

/** What a sentence names, as it is, so that it can be written in the reader's language. */
export type ProblemValue =
  | string
  | number
  /** A day, `YYYY-MM-DD`. */
  | { date: string }
  | { instant: number }
  | { bytes: number }
  | { anyOf: readonly string[] };
export type ProblemValues = Readonly<Record<string, ProblemValue>>;

/** A refusal: a sentence for people, a stable code `noun.reason` for programs. */
export class Problem extends Error {
  readonly kind: ProblemKind;
  readonly code: string;
  readonly field: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly others: string[];
  readonly conflictingChanges: ConflictingChange[] | undefined;
  #values: ProblemValues = {};
  #setting: PolicyKey | null = null;

  constructor(kind: ProblemKind, code: string, sentence: string, details: ProblemDetails = {}) {
    super(withoutDoubleQuotes(sentence));
    this.name = 'Problem';
    this.kind = kind;
    this.code = code;
    this.field = details.field;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.conflictingChanges = details.conflictingChanges;
    this.others = (details.others ?? []).map(withoutDoubleQuotes);
  }

  get values(): ProblemValues {
    return this.#values;
  }

  /** What the sentence of this code names in the catalogue of refusals (docs/adr/0052). */
  withValues(values: ProblemValues): this {
    this.#values = values;
    return this;
  }

  /** The setting of the group without which this would not be refused; null for rules that are the same for all groups. */
  get setting(): PolicyKey | null {
    return this.#setting;
  }

  decidedBy(setting: PolicyKey): this {
    this.#setting = setting;
    return this;
  }

  /** Every sentence, the first one first. */
  get sentences(): string[] {
    return [this.message, ...this.others];
  }
}

/**
 * Names are in typographic quotes: the first generation of command-line clients cannot read an escaped quote in JSON, and
 * would report a failure of its own instead of the sentence (compatibility rule 22).
 */
function withoutDoubleQuotes(sentence: string): string {
  return sentence.replace(/"([^"]*)"/g, '“$1”').replaceAll('"', '”');
}

/** The most frequent refusal: the input breaks a rule. */
export function invalid(code: string, sentence: string, field?: string): Problem {
  return new Problem('invalid', code, sentence, field === undefined ? {} : { field });
}

/** One answer for unknown, foreign and deleted objects, so that callers cannot tell them apart. */
export function notFound(noun: string, sentence = `There is no such ${noun}.`): Problem {
  return new Problem('not_found', `${noun.replaceAll(' ', '_')}.not_found`, sentence);
}

/**
 * Did the transaction that ended with this error leave nothing behind, for certain? A Problem is thrown by our own code
 * inside the work, so the transaction was rolled back. After any other fault (a connection lost at the commit) only the
 * database knows.
 */
export function wasRolledBack(error: unknown): boolean {
  return error instanceof Problem;
}
