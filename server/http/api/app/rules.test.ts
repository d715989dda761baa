import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rules } from '#contract/app/account.ts';
import { encoderOf } from '#contract/codec.ts';
import { defaultPolicy, type Policy } from '../../../domain/policy.ts';
import { rulesOf } from './rules.ts';

const encode = encoderOf(rules);
const rulesWith = (changes: Partial<Policy>, isLocal = true) =>
  encode(rulesOf({ groupName: 'Sales', isLocal, policy: { ...defaultPolicy(isLocal), ...changes } }, 7));

test('a setting of 0 means no limit', () => {
  const none = rulesWith({
    delete_inactive_user: 0,
    storage_quota: 0,
    api_key_lifetime: 0,
    message_max_expires_after: 0,
  });
  assert.deepEqual(
    [none.account.deleted_after_inactive_days, none.account.storage_quota_mb, none.account.api_key_lifetime_days],
    [null, null, null],
  );
  assert.equal(none.messages.max_downloads, null);
  const some = rulesWith({
    delete_inactive_user: 1,
    storage_quota: 2,
    api_key_lifetime: 3,
    message_max_expires_after: 4,
  });
  assert.deepEqual(
    [some.account.deleted_after_inactive_days, some.account.storage_quota_mb, some.account.api_key_lifetime_days],
    [1, 2, 3],
  );
  assert.equal(some.messages.max_downloads, 4);
  assert.deepEqual([some.group, some.is_local, some.account.stored_bytes], ['Sales', true, 7]);
  assert.equal(rulesWith({}, false).is_local, false);
});

test('extensions are a list, empty if there are none', () => {
  assert.deepEqual(rulesWith({ permitted_extensions: '', blocked_extensions: 'exe,bat' }).files, {
    permitted_extensions: [],
    blocked_extensions: ['exe', 'bat'],
  });
});

test('the levels are the permitted ones, or only the default if it cannot be changed', () => {
  const open = { message_can_use_anyone: true, message_default_authorization: 3 as const };
  assert.deepEqual(rulesWith({ ...open, message_can_change_authorization: false }).messages.authorizations, [3]);
  const levels = rulesWith({ ...open, message_can_change_authorization: true }).messages.authorizations;
  assert.ok(levels.includes(0) && levels.includes(3));
});
