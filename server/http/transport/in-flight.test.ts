import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { operatorCaller, ownUploader, systemCaller, type Uploader } from '../../domain/caller.ts';
import type { HttpDeps } from '../deps.ts';
import { enter as enterDownload } from '../pages/downloads.ts';
import { enter as enterUpload } from '../uploads/uploads.ts';
import { createLimits } from './limits.ts';
import { createMeters } from './meters.ts';

const depsOf = () => ({ limits: createLimits({ apiRatePerMinute: 0, meters: createMeters() }) }) as HttpDeps;

/** Enters until it is refused; returns the functions that leave. */
function fill(enter: () => () => void, code: string): (() => void)[] {
  const leaves: (() => void)[] = [];
  assert.throws(
    () => {
      while (leaves.length <= 2000) leaves.push(enter());
    },
    { kind: 'rate_limited', code },
  );
  return leaves;
}

describe('requests in flight', () => {
  const from = (address: string) => ({ address, agent: '', requestId: '' });
  const byKey = (apiKeyId: string | null, address: string): Uploader =>
    ownUploader({ ...operatorCaller(), userId: 'alice', apiKeyId, from: from(address) });
  const code = 'upload.too_many';

  test('are 128 uploads of one key, and as many of a session', () => {
    for (const key of ['key', null]) {
      const deps = depsOf();
      let number = 0;
      const leaves = fill(() => enterUpload(deps, byKey(key, `192.0.2.${number++ % 200}`)), code);
      assert.equal(leaves.length, 128);
      leaves[0]!();
      enterUpload(deps, byKey(key, '192.0.2.1'));
      assert.throws(() => enterUpload(deps, byKey(key, '192.0.2.1')), { code, retryAfterSeconds: 5 });
    }
  });

  test('are 256 uploads of one address, and a refused one does not count for its key', () => {
    const deps = depsOf();
    let number = 0;
    const leaves = fill(() => enterUpload(deps, byKey(`key ${Math.floor(number++ / 100)}`, '192.0.2.1')), code);
    assert.equal(leaves.length, 256);
    for (let count = 0; count < 200; count++)
      assert.throws(() => enterUpload(deps, byKey('other', '192.0.2.1')), { code, retryAfterSeconds: 5 });
    enterUpload(deps, byKey('other', '192.0.2.2'));
    leaves[0]!();
    enterUpload(deps, byKey('other', '192.0.2.1'));
  });

  test('are 8 uploads of one outside network to one target', () => {
    const deps = depsOf();
    const outside = (source: string, address: string): Uploader => ({
      ...byKey(null, address),
      source,
      submissionLimits: { fileBytes: 1, waitingBytes: 1, dropName: null },
      caller: { ...systemCaller, from: from(address) },
    });
    assert.equal(fill(() => enterUpload(deps, outside('request:a', '192.0.2.1')), code).length, 8);
    enterUpload(deps, outside('request:b', '192.0.2.1'));
    enterUpload(deps, outside('request:a', '198.51.100.1'));
  });

  test('are 1000 downloads of one file and 256 of one address, and a refused one does not count for the file', () => {
    const deps = depsOf();
    const many = 'download.too_many';
    let number = 0;
    const ofFile = fill(() => enterDownload(deps, 'file', `192.0.2.${number++ % 200}`), many);
    assert.equal(ofFile.length, 1000);
    assert.throws(() => enterDownload(deps, 'file', '192.0.2.250'), { code: many, retryAfterSeconds: 10 });
    for (const leave of ofFile) leave();
    const ofAddress = fill(() => enterDownload(deps, `file ${number++}`, '192.0.2.1'), many);
    assert.equal(ofAddress.length, 256);
    for (let count = 0; count < 1001; count++)
      assert.throws(() => enterDownload(deps, 'other', '192.0.2.1'), { code: many, retryAfterSeconds: 10 });
    enterDownload(deps, 'other', '192.0.2.2');
    ofAddress[0]!();
    enterDownload(deps, 'other', '192.0.2.1');
  });
});
