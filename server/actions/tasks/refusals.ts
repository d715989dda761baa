// What a task could not do, and why: kept with its progress, as values, so that each reader gets it in their own language.
import { Problem, type ProblemValues } from '../../domain/problem.ts';

export interface TaskRefusal {
  id: string;
  code: string;
  /** In English. */
  sentence: string;
  values?: ProblemValues;
}

/** Those that the progress of a task keeps. */
export function refusalsIn(progress: Record<string, unknown>): TaskRefusal[] {
  return (progress.refused as TaskRefusal[] | undefined) ?? [];
}

const mostKept = 100;

/** Null when the work was done; what is no refusal is a fault and is thrown. */
export async function refusalOf(work: () => Promise<unknown>): Promise<Problem | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Of many only the first are kept. */
export function keepRefusal(refused: TaskRefusal[], id: string, problem: Problem): void {
  if (refused.length < mostKept)
    refused.push({ id, code: problem.code, sentence: problem.message, values: problem.values });
}
