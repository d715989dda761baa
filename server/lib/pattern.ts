// Regular expressions of administrators, run in linear time. Never use `RegExp` for them.
import { RE2JS } from 're2js';

export interface Pattern {
  readonly text: string;
  /** False for a subject that is too long or has control characters. */
  matches(subject: string): boolean;
}

const MAX_PATTERN_CHARS = 512;
const MAX_SUBJECT_CHARS = 320;
/** Thirty times `\pL{999}` is short, but one match took a second. */
const MAX_PROGRAM_SIZE = 1500;

/** Throws a RangeError with a sentence for people. */
export function compilePattern(text: string): Pattern {
  if (text.length > MAX_PATTERN_CHARS) {
    throw new RangeError(`The pattern is longer than ${MAX_PATTERN_CHARS} characters.`);
  }
  const compiled = compile(text);
  if (compiled.programSize() > MAX_PROGRAM_SIZE) {
    throw new RangeError('The pattern is too complex. Use fewer or smaller repetitions.');
  }
  return {
    text,
    // In other engines `$` also matches before a line end.
    matches: (subject) =>
      subject.length <= MAX_SUBJECT_CHARS && !/[\x00-\x1f\x7f]/.test(subject) && compiled.test(subject),
  };
}

/** About valid patterns that may not mean what their author thinks. */
export function patternWarnings(text: string): string[] {
  // An escaped dollar sign is a literal.
  const ends = /(?:^|[^\\])(?:\\\\)*(?:\$|\\z)/.test(text);
  return ends ? [] : ['The pattern has no $ at its end: example\\.com also matches example.com.evil.org.'];
}

function compile(text: string): RE2JS {
  try {
    // Canonical addresses are lower case.
    return RE2JS.compile(text, RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    throw new RangeError(whyNot(text, error));
  }
}

function whyNot(text: string, error: unknown): string {
  if (/\(\?<?[=!]/.test(text))
    return 'The pattern uses look-ahead or look-behind, such as (?=…), which is not supported.';
  if (/\\[1-9]/.test(text)) return 'The pattern uses a back-reference, such as \\1, which is not supported.';
  const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'unknown syntax';
  return `The pattern is not valid: ${reason}.`;
}
