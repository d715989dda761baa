import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Problem } from './problem.ts';
import { resolveSwitch } from './switches.ts';

describe('a switch under the rules of a group', () => {
  const settle = (requested: boolean | undefined, byDefault: boolean, mayChange: boolean) =>
    resolveSwitch({
      noun: 'link',
      requested,
      byDefault,
      mayChange,
      field: 'download_receipt',
      what: 'whether receipts are sent',
      setting: 'filelink_can_change_download_confirmation',
    });

  test('that the group decides can not be turned, in either direction', () => {
    for (const byDefault of [true, false])
      assert.throws(
        () => settle(!byDefault, byDefault, false),
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
        assert.equal(settle(undefined, byDefault, mayChange), byDefault);
        assert.equal(settle(byDefault, byDefault, mayChange), byDefault);
      }
    assert.equal(settle(false, true, true), false);
    assert.equal(settle(true, false, true), true);
  });
});
