import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Problem } from './problem.ts';
import { resolveSwitch } from './switches.ts';

describe('a switch under the rules of a group', () => {
  const resolve = (input: boolean | undefined, byDefault: boolean, mayChange: boolean) =>
    resolveSwitch({
      noun: 'link',
      input,
      byDefault,
      mayChange,
      field: 'download_receipt',
      what: 'whether receipts are sent',
      setting: 'filelink_can_change_download_confirmation',
    });

  test('that the group decides can not be turned, in either direction', () => {
    for (const byDefault of [true, false])
      assert.throws(
        () => resolve(!byDefault, byDefault, false),
        (error: unknown) =>
          error instanceof Problem &&
          error.kind === 'invalid' &&
          error.code === 'link.setting_locked' &&
          error.field === 'download_receipt' &&
          error.message.includes('whether receipts are sent'),
      );
  });

  test('is the default when not asked for, and may always repeat the default', () => {
    for (const byDefault of [true, false])
      for (const mayChange of [true, false]) {
        assert.equal(resolve(undefined, byDefault, mayChange), byDefault);
        assert.equal(resolve(byDefault, byDefault, mayChange), byDefault);
      }
    assert.equal(resolve(false, true, true), false);
    assert.equal(resolve(true, false, true), true);
  });
});
