// Adds many people, each line separately. A dry run rolls each line back.
import { listGroups } from '../../db/groups/groups.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import { readEmail } from '../../domain/users.ts';
import type { Ctx } from '../context.ts';
import type { UserInput } from './input.ts';
import { checkNewUser, createUser } from './users.ts';

export interface ImportLine {
  line: number;
  email: string;
  name: string;
  /** Id or name; empty for the default group. */
  group: string;
}

export interface ImportInput {
  lines: ImportLine[];
  groupId: string | undefined;
  isInvited: boolean;
  isDryRun: boolean;
}

export interface ImportOutcome {
  line: number;
  email: string;
  outcome: 'created' | 'would_create' | 'refused';
  problem: Problem | null;
}

export async function importPeople(ctx: Ctx, caller: UserCaller, input: ImportInput): Promise<ImportOutcome[]> {
  requireRight(caller, 'people.manage');
  const groups = await listGroups(ctx.db.read);
  const groupIdOf = (named: string): string | undefined => {
    if (named === '') return input.groupId;
    const folded = named.toLowerCase();
    return groups.find(({ id, name }) => id === named || name.toLowerCase() === folded)?.id ?? named;
  };
  const outcomes: ImportOutcome[] = [];
  const seen = new Set<string>();
  for (const { line, email, name, group } of input.lines) {
    const person: UserInput = { email, name, groupId: groupIdOf(group), isInvited: input.isInvited || undefined };
    const problem = await refusalOf(async () => {
      assertNew(seen, readEmail(email));
      if (input.isDryRun) await checkNewUser(ctx, caller, person);
      else await createUser(ctx, caller, person);
    });
    const done = input.isDryRun ? 'would_create' : 'created';
    outcomes.push({ line, email, outcome: problem === null ? done : 'refused', problem });
  }
  return outcomes;
}

function assertNew(seen: Set<string>, email: string): void {
  if (seen.has(email)) throw invalid('user.twice_in_file', 'This address is in the file twice.', 'email');
  seen.add(email);
}

/** Errors other than refusals, and rate limits, end the import. */
async function refusalOf(work: () => Promise<void>): Promise<Problem | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof Problem && error.kind !== 'rate_limited') return error;
    throw error;
  }
}
