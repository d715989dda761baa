// Regular expressions of administrators, run by an engine with linear time. They search in canonical addresses. Never
// use `RegExp` for them.
import { RE2JS } from 're2js';

export interface Pattern {
  readonly text: string;
  /** False for a subject that is too long or has control characters. */
  matches(subject: string): boolean;
}

const MAX_PATTERN_CHARS = 512;
const MAX_SUBJECT_CHARS = 320;
/** Instructions after compiling: thirty times `\pL{999}` is short, but one match took a second. */
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
    // Control characters are refused because in other engines `$` also matches before a line end.
    matches: (subject) =>
      subject.length <= MAX_SUBJECT_CHARS && !/[\x00-\x1f\x7f]/.test(subject) && compiled.test(subject),
  };
}

/** Warnings about valid patterns that may not mean what their author thinks. */
export function patternWarnings(text: string): string[] {
  // An escaped dollar sign is a literal.
  const ends = /(?:^|[^\\])(?:\\\\)*(?:\$|\\z)/.test(text);
  return ends ? [] : ['The pattern has no $ at its end: example\\.com also matches example.com.evil.org.'];
}

function compile(text: string): RE2JS {
  try {
    // Canonical addresses are lower case; a capital in a pattern should still match.
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
