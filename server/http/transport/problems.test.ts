import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BlobMissing, BodyAborted, StoreFull, StoreRefuses, StoreUnavailable } from '../../domain/ports.ts';
import { Problem, type ProblemKind } from '../../domain/problem.ts';
import { TooBusy } from '../../lib/gate.ts';
import { isOperatorsConcern, problemBody, refusalOf } from './problems.ts';

describe('a refusal', () => {
  test('has the status of its kind', () => {
    const statuses: Record<ProblemKind, number> = {
      invalid: 422,
      unauthenticated: 401,
      forbidden: 403,
      not_found: 404,
      gone: 410,
      conflict: 409,
      too_large: 413,
      rate_limited: 429,
      unavailable: 503,
      full: 507,
    };
    for (const [kind, status] of Object.entries(statuses) as [ProblemKind, number][]) {
      const problem = new Problem(kind, 'some.code', 'No.');
      assert.deepEqual(refusalOf(problem), { status, problem, fault: null });
    }
  });

  test('of the transport has its own status, independent of its kind', () => {
    for (const [code, status] of [
      ['request.malformed', 400],
      ['request.method_not_allowed', 405],
      ['request.not_json', 415],
      ['request.timeout', 408],
      ['request.unknown_expectation', 417],
      ['request.foreign_host', 421],
      ['request.insecure', 403],
    ] as const)
      assert.equal(refusalOf(new Problem('invalid', code, 'No.')).status, status, code);
  });

  test('of an unavailable service says when to retry, and is logged if the operator must act', () => {
    for (const [error, status, code, seconds, isTheirs] of [
      [new StoreFull(), 507, 'storage.full', undefined, true],
      [new TooBusy(), 429, 'server.busy', 5, false],
      [new BodyAborted('silence'), 408, 'request.timeout', undefined, false],
      [new StoreRefuses('no'), 503, 'storage.unavailable', 60, true],
      [new StoreUnavailable('away'), 503, 'server.unavailable', 30, true],
      [new BlobMissing('x'), 503, 'server.unavailable', 30, true],
    ] as const) {
      const refusal = refusalOf(error);
      assert.deepEqual([refusal.status, refusal.problem.code, refusal.fault], [status, code, null]);
      assert.equal(refusal.problem.retryAfterSeconds, seconds, code);
      assert.equal(isOperatorsConcern(error), isTheirs, code);
    }
    assert.match(refusalOf(new BodyAborted('silence')).problem.sentences[0]!, /: silence\.$/);
  });

  test('hides the detail of an unexpected error', () => {
    for (const error of [new TypeError('a secret'), 'a secret', null]) {
      const { status, problem, fault } = refusalOf(error);
      assert.deepEqual([status, problem.code, fault], [500, 'server.fault', error]);
      assert.ok(!JSON.stringify(problemBody(problem, 'id', null)).includes('secret'));
      assert.equal(isOperatorsConcern(error), false);
    }
  });

  test('names its field only if it has one', () => {
    const plain = new Problem('invalid', 'a.code', 'No.');
    assert.deepEqual(problemBody(plain, 'id', null), { errors: ['No.'], code: 'a.code', request_id: 'id' });
    const named = new Problem('invalid', 'a.code', 'No.', { field: 'name' });
    assert.equal(problemBody(named, 'id', null).field, 'name');
  });
});
