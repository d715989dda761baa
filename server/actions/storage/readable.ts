// Bytes that can be downloaded now, by age: old files that are still shared are the likeliest leak.
import { type ReadableBytes, sumReadable } from '../../db/overview/overview.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { requireRight } from '../../domain/roles.ts';
import type { Ctx } from '../context.ts';

const dayMs = 86_400_000;
const agesDays = [7, 30, 90] as const;

export interface ReadableOfAge extends ReadableBytes {
  /** Null for the oldest group. */
  upToDays: number | null;
}

export function getReadableByAge(ctx: Ctx, caller: UserCaller): Promise<ReadableOfAge[]> {
  requireRight(caller, 'console.read');
  return readableByAge(ctx);
}

/** Youngest first. */
export function readableByAge(ctx: Ctx): Promise<ReadableOfAge[]> {
  const now = ctx.clock.now();
  const ages = [...agesDays, null];
  return Promise.all(
    ages.map(async (upToDays, index) => {
      const from = upToDays === null ? 0 : now - upToDays * dayMs;
      const to = index === 0 ? now + dayMs : now - ages[index - 1]! * dayMs;
      return { upToDays, ...(await sumReadable(ctx.db.read, from, to)) };
    }),
  );
}
