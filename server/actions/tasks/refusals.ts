// Refusals of a task, stored with its progress as values, so that each reader gets them in their own language.
import { Problem, type ProblemValues } from '../../domain/problem.ts';

export interface TaskRefusal {
  id: string;
  code: string;
  sentence: string;
  values?: ProblemValues;
}

export function refusalsIn(progress: Record<string, unknown>): TaskRefusal[] {
  return (progress.refused as TaskRefusal[] | undefined) ?? [];
}

const mostKept = 100;

/** Null when the work succeeded. Errors other than refusals are thrown. */
export async function refusalOf(work: () => Promise<unknown>): Promise<Problem | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Keeps the first hundred. */
export function addRefusal(refused: TaskRefusal[], id: string, problem: Problem): void {
  if (refused.length < mostKept)
    refused.push({ id, code: problem.code, sentence: problem.message, values: problem.values });
}
