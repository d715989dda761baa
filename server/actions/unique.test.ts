import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ctx } from './context.ts';
import { writeUnique } from './unique.ts';

const taken = Object.assign(new Error('UNIQUE constraint failed'), { code: 'ERR_SQLITE_ERROR', errcode: 2067 });

/** A database whose consecutive transactions end like this. */
function databaseEndingIn(...ends: (Error | string)[]): { ctx: Ctx; attempts(): number } {
  let attempts = 0;
  const write = async () => {
    const end = ends[attempts++];
    if (end instanceof Error) throw end;
    return end;
  };
  return { ctx: { db: { write } } as unknown as Ctx, attempts: () => attempts };
}

test('a transaction that loses the race for a name runs again, at most five times', async () => {
  const late = databaseEndingIn(taken, taken, taken, taken, 'taken at last');
  assert.equal(await writeUnique(late.ctx, async () => 'ignored'), 'taken at last');
  const never = databaseEndingIn(taken, taken, taken, taken, taken, 'too late');
  await assert.rejects(
    writeUnique(never.ctx, async () => 'ignored'),
    taken,
  );
  assert.equal(never.attempts(), 5);
});

test('any other error ends it immediately', async () => {
  const fault = databaseEndingIn(new TypeError('a fault'), 'not asked for');
  await assert.rejects(
    writeUnique(fault.ctx, async () => 'ignored'),
    TypeError,
  );
  assert.equal(fault.attempts(), 1);
});
