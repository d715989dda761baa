// Refusals that may be shown to people, without secrets. Any other error is a bug and a 500.
import type { Check } from './checks.ts';
import type { PolicyKey } from './policy.ts';

/** `server/http/transport/problems.ts` maps them to statuses. */
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

export interface ConflictingChange {
  setting: string;
  from: unknown;
  to: unknown;
  /** E-mail address, or the id of a deleted user. */
  by: string;
  at: number;
}

export interface ProblemDetails {
  field?: string;
  /** For `rate_limited` and `unavailable`. */
  retryAfterSeconds?: number;
  /** For `conflict`: changes since the version in the request. */
  conflictingChanges?: ConflictingChange[];
  /** Steps of a test that failed. */
  checks?: readonly Check[];
  /** The first is the message. */
  others?: string[];
}

/** Raw values to interpolate into the localized message. */
export type ProblemValue =
  | string
  | number
  /** `YYYY-MM-DD`. */
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
  readonly checks: readonly Check[];
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
    this.checks = details.checks ?? [];
    this.others = (details.others ?? []).map(withoutDoubleQuotes);
  }

  get values(): ProblemValues {
    return this.#values;
  }

  /** Values for the sentence of this code in the catalogue of refusals (docs/adr/0052). */
  withValues(values: ProblemValues): this {
    this.#values = values;
    return this;
  }

  /** Null for rules that all groups share. */
  get setting(): PolicyKey | null {
    return this.#setting;
  }

  decidedBy(setting: PolicyKey): this {
    this.#setting = setting;
    return this;
  }

  get sentences(): string[] {
    return [this.message, ...this.others];
  }
}

/** The first command-line clients cannot read an escaped quote in JSON. */
function withoutDoubleQuotes(sentence: string): string {
  return sentence.replace(/"([^"]*)"/g, '“$1”').replaceAll('"', '”');
}

export function invalid(code: string, sentence: string, field?: string): Problem {
  return new Problem('invalid', code, sentence, field === undefined ? {} : { field });
}

/** Callers must not distinguish unknown, foreign and deleted objects. */
export function notFound(noun: string, sentence = `There is no such ${noun}.`): Problem {
  return new Problem('not_found', `${noun.replaceAll(' ', '_')}.not_found`, sentence);
}

/**
 * Our own code throws a Problem before the commit. After other errors, such as a lost connection, only the database
 * knows.
 */
export function wasRolledBack(error: unknown): boolean {
  return error instanceof Problem;
}
