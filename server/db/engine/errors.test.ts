// Which errors mean that the database is unavailable, busy, or that the program is wrong. Needs no database.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseBusy, DatabaseUnavailable, isUniqueViolation } from './errors.ts';
import { isOutOfConnections, translatePostgresError } from './postgres-errors.ts';
import { isFailedSync, translateSqliteError, whenNotBusy } from './sqlite-errors.ts';

const failure = (message: string, more: object = {}) => Object.assign(new Error(message), more);

describe('an error of PostgreSQL', () => {
  const kindOf = (error: unknown) => {
    const translated = translatePostgresError(error);
    if (translated === error) return 'ours';
    assert.equal((translated as Error).cause, error);
    return translated instanceof DatabaseBusy ? 'busy' : 'away';
  };

  it('of a lock, a timeout or a pool without a free connection means busy', () => {
    for (const code of ['55P03', '57014']) assert.equal(kindOf(failure('x', { code })), 'busy', code);
    assert.equal(kindOf(failure('timeout exceeded when trying to connect')), 'busy');
  });

  it('of the connection, of its resources or of its shutdown means away', () => {
    for (const code of ['08006', '53300', '53100', '57P01', '57P03', '58030'])
      assert.equal(kindOf(failure('x', { code })), 'away', code);
    assert.equal(kindOf(failure('connect', { code: 'ECONNREFUSED', syscall: 'connect' })), 'away');
    for (const message of ['Connection terminated unexpectedly', 'Query read timeout'])
      assert.equal(kindOf(failure(message)), 'away', message);
  });

  it('of anything else stays what it is', () => {
    for (const code of ['23505', '42703', '57P99', '22P02']) assert.equal(kindOf(failure('x', { code })), 'ours', code);
    assert.equal(kindOf(failure('x', { code: 8 })), 'ours');
    for (const value of ['57014', null, undefined, { code: '57014' }])
      assert.equal(translatePostgresError(value), value);
  });

  it('tells whether every connection is in use', () => {
    assert.ok(isOutOfConnections(failure('too many clients already', { code: '53300' })));
    assert.ok(isOutOfConnections(failure('timeout exceeded when trying to connect')));
    assert.ok(isOutOfConnections(failure('no more connections allowed (max_client_conn)')));
    assert.ok(!isOutOfConnections(failure('x', { code: '53100' })));
    assert.ok(!isOutOfConnections({ code: '53300', message: 'no more connections allowed' }));
  });
});

describe('a row that is there already', () => {
  it('is told apart in either dialect', () => {
    assert.ok(isUniqueViolation(failure('x', { code: '23505' })));
    for (const errcode of [2067, 1555, 2579]) assert.ok(isUniqueViolation(failure('x', { errcode })), `${errcode}`);
    // Another constraint, no error at all, and one that is similar.
    for (const other of [
      failure('x', { code: '23503' }),
      failure('x', { errcode: 787 }),
      failure('x'),
      null,
      { code: '23505' },
    ])
      assert.ok(!isUniqueViolation(other));
  });
});

describe('an error of SQLite', () => {
  const kindOf = (error: unknown) => {
    const translated = translateSqliteError(error);
    if (translated === error) return 'ours';
    return translated instanceof DatabaseBusy ? 'busy' : 'away';
  };

  it('of a lock means busy, of the disk or of a closed file away, also in its longer codes', () => {
    for (const errcode of [5, 6, 261, 517, 262]) assert.equal(kindOf(failure('x', { errcode })), 'busy', `${errcode}`);
    for (const errcode of [10, 11, 13, 14, 15, 26, 1034, 266])
      assert.equal(kindOf(failure('x', { errcode })), 'away', `${errcode}`);
    assert.equal(kindOf(failure('database is not open')), 'away');
  });

  it('of anything else stays what it is', () => {
    for (const errcode of [1, 19, 2067]) assert.equal(kindOf(failure('x', { errcode })), 'ours', `${errcode}`);
    assert.equal(kindOf(failure('database is not open, it says')), 'ours');
    for (const value of [{ errcode: 5 }, 'database is not open', null]) assert.equal(kindOf(value), 'ours');
  });

  it('of a failed flush is known as one, translated or not', () => {
    for (const errcode of [1034, 1290]) {
      const error = failure('x', { errcode });
      assert.ok(isFailedSync(error));
      assert.ok(isFailedSync(translateSqliteError(error)));
    }
    assert.ok(!isFailedSync(failure('x', { errcode: 10 })));
    assert.ok(!isFailedSync(new DatabaseUnavailable('x')));
  });

  it('that means busy is waited for, and only that', async () => {
    let left = 3;
    const attempt = () => {
      left -= 1;
      if (left > 0) throw failure('x', { errcode: 5 });
      return 'done';
    };
    assert.equal(await whenNotBusy(attempt, 60_000), 'done');
    let tried = 0;
    const broken = () => {
      tried += 1;
      throw failure('x', { errcode: 13 });
    };
    await assert.rejects(whenNotBusy(broken, 60_000), DatabaseUnavailable);
    assert.equal(tried, 1);
    const busy = () => {
      throw failure('x', { errcode: 5 });
    };
    await assert.rejects(whenNotBusy(busy, -1), DatabaseBusy);
  });
});
