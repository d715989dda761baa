// What an operator is told of an error: a sentence where we know what it means, nothing where it is a fault of ours.
import { OperatorProblem } from '../lib/operator-problem.ts';
import { describeStartProblem } from '../lib/start-problems.ts';
import { Unavailable } from './ports.ts';
import { Problem } from './problem.ts';

/** Null for what is a fault of ours, which is told with its trace. */
export function sentencesFor(error: unknown): string[] | null {
  if (error instanceof OperatorProblem) return [error.message];
  if (error instanceof Problem) return error.sentences;
  if (error instanceof Unavailable) return [withCause(error)];
  const known = describeStartProblem(error);
  return known === null ? null : [known];
}

/** What the other side said, or which file it was, is what the operator needs. */
function withCause({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message;
  return describeStartProblem(cause) ?? `${message} (${cause.message})`;
}
