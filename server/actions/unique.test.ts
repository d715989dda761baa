import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ctx } from './context.ts';
import { writeUnique } from './unique.ts';

const taken = Object.assign(new Error('UNIQUE constraint failed'), { code: 'ERR_SQLITE_ERROR', errcode: 2067 });

/** A database whose transactions end like this, one after the other. */
function endingIn(...ends: (Error | string)[]): { ctx: Ctx; looks(): number } {
  let looks = 0;
  const write = async () => {
    const end = ends[looks++];
    if (end instanceof Error) throw end;
    return end;
  };
  return { ctx: { db: { write } } as unknown as Ctx, looks: () => looks };
}

test('whoever loses the race for a name looks again, five times at most', async () => {
  const late = endingIn(taken, taken, taken, taken, 'taken at last');
  assert.equal(await writeUnique(late.ctx, async () => 'ignored'), 'taken at last');
  const never = endingIn(taken, taken, taken, taken, taken, 'too late');
  await assert.rejects(
    writeUnique(never.ctx, async () => 'ignored'),
    taken,
  );
  assert.equal(never.looks(), 5);
});

test('any other error ends it at once', async () => {
  const fault = endingIn(new TypeError('a fault'), 'not asked for');
  await assert.rejects(
    writeUnique(fault.ctx, async () => 'ignored'),
    TypeError,
  );
  assert.equal(fault.looks(), 1);
});
