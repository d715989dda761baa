import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { test } from 'node:test';
import { describeStartProblem } from './start-problems.ts';

function failure(code: string, path?: string): Error {
  return Object.assign(new Error('said so'), { code, ...(path === undefined ? {} : { path }) });
}

test('common mistakes of a start are one sentence with the path and the remedy', () => {
  assert.match(
    describeStartProblem(failure('EACCES', '/srv/data')) ?? '',
    /^\/srv\/data cannot be used by the user \S+\. .*: chown -R \d+ \/srv\/data$/,
  );
  assert.match(describeStartProblem(failure('EROFS', '/srv/data')) ?? '', /\/srv\/data .*read-only.*WAYBILL_DATA_DIR/);
  assert.match(describeStartProblem(failure('ENOSPC', '/srv/data/waybill.db')) ?? '', /no room left for \/srv\/data/);
  assert.match(describeStartProblem(failure('ENOSPC')) ?? '', /disk is full/);
  const full = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
  assert.match(describeStartProblem(full) ?? '', /no room left for the database\. .*WAYBILL_DATA_DIR/);
  assert.match(
    describeStartProblem(Object.assign(full, { path: '/srv/waybill.db' })) ?? '',
    /room left for \/srv\/waybill\.db\. Free/,
  );
  const describe = (errcode: unknown) => describeStartProblem(Object.assign(new Error('x'), { errcode }));
  assert.deepEqual(
    [describe(13), describe(269), describe(5), describe('13')].map((sentence) => sentence !== null),
    [...[true, true], ...[false, false]],
  );
  assert.match(
    describeStartProblem(failure('28P01')) ?? '',
    /The database refused us: said so\. .*WAYBILL_DATABASE_URL/,
  );
  assert.match(describeStartProblem(failure('3D000')) ?? '', /WAYBILL_DATABASE_URL/);
  assert.match(describeStartProblem(failure('ENOENT', '/srv/places.mmdb')) ?? '', /\/srv\/places\.mmdb does not exist/);
});

test('the file system’s own errors are understood', () => {
  assert.throws(
    () => mkdirSync('/dev/null/data', { recursive: true }),
    (error) => /\/dev\/null.* needs a folder/.test(describeStartProblem(error) ?? ''),
  );
});

test('bugs keep their stack trace', () => {
  for (const fault of [new TypeError('undefined is not a function'), failure('ERR_INVALID_ARG_TYPE'), 'text', null])
    assert.equal(describeStartProblem(fault), null);
});
