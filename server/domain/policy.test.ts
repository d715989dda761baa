import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { groupSettings } from '#contract/group-settings.ts';
import {
  audiencePermission,
  completePolicy,
  defaultPolicy,
  type Policy,
  type PolicyKey,
  permittedLevels,
} from './policy.ts';
import { changePolicy, resolveExtensions } from './policy-changes.ts';

const local = defaultPolicy(true);
const change = (changes: Record<string, unknown>, base: Policy = local, isLocal = true) =>
  changePolicy(base, changes, isLocal);
const refusalsOf = (changes: Record<string, unknown>, isLocal = true) =>
  change(changes, isLocal ? local : defaultPolicy(false), isLocal).refusals;

function wrongValues(key: PolicyKey): unknown[] {
  const entry = groupSettings[key];
  switch (entry.kind) {
    case 'flag':
      return [null, 1, 'yes', '', [], {}, 'TRUE'];
    case 'number':
      return [null, entry.min - 1, entry.max + 1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 'x', '', '1e3', [], true];
    case 'choice':
      return [null, 99, -1, 'x', true, [3]];
    case 'word':
      return [null, 'nonsense', 1, '', 'toString'];
    case 'text':
      return [null, 5, 'a\nb', 'x'.repeat(entry.maxLength + 1), ['x']];
    case 'extensions':
      return [null, 5, 'a b', 'tar.gz', ['ok', 5], 'x'.repeat(33), Array(501).fill('a').join(',a')];
    case 'domains':
      return [null, 5, 'exa mple.com', ['a..b'], [''], ['ü.example'], ['-'.repeat(254)]];
    case 'networks':
      return [null, 5, '10.0.0.0/99', ['example.com'], Array.from({ length: 101 }, (_, index) => `10.0.0.${index}`)];
    case 'custom':
      return ['x'.repeat(16_385), Array(9000).fill(1)];
  }
}

describe('a setting', () => {
  test('refuses each wrong value with one sentence that begins with its name, and keeps the rest', () => {
    for (const key of Object.keys(groupSettings) as PolicyKey[]) {
      for (const value of wrongValues(key)) {
        const { refusals, policy } = change({ [key]: value });
        assert.equal(refusals.length, 1, `${key} = ${JSON.stringify(value)}`);
        assert.equal(refusals[0]!.code, 'group.bad_setting');
        assert.equal(refusals[0]!.field, key);
        assert.ok(refusals[0]!.message.startsWith(`${key} must be `), refusals[0]!.message);
        assert.deepEqual(policy, local);
      }
    }
  });

  test('that is unknown is refused, also if every object has a property of that name', () => {
    for (const key of ['can_use_filelink', 'constructor', 'toString', '__proto__', 'hasOwnProperty', '']) {
      const { refusals } = change(JSON.parse(`{${JSON.stringify(key)}: true}`) as Record<string, unknown>);
      assert.equal(refusals.length, 1, key);
      assert.equal(refusals[0]!.code, 'group.unknown_setting');
    }
  });

  test('is refused together with all other wrong ones', () => {
    const refusals = refusalsOf({ can_use_messages: 5, nonsense: 1, message_max_size: -1, page_title: 'fine' });
    assert.deepEqual(
      refusals.map((refusal) => refusal.field),
      ['can_use_messages', 'nonsense', 'message_max_size'],
    );
  });

  test('takes what old scripts send: flags and numbers as text, lists as text with commas', () => {
    const { policy, refusals } = change({
      can_use_messages: 'false',
      message_max_size: '100',
      message_default_authorization: '2',
      permitted_extensions: ' .PDF, docx ,pdf,',
      blocked_extensions: '',
      message_recipient_domains: '@Example.com, other.example',
      client_custom_settings: null,
    });
    assert.deepEqual(refusals, []);
    assert.equal(policy.can_use_messages, false);
    assert.equal(policy.message_max_size, 100);
    assert.equal(policy.message_default_authorization, 2);
    assert.equal(policy.permitted_extensions, 'pdf,docx');
    assert.deepEqual(policy.message_recipient_domains, ['example.com', 'other.example']);
    assert.equal(policy.client_custom_settings, '');
  });

  test('takes its smallest and its largest value', () => {
    for (const [key, entry] of Object.entries(groupSettings)) {
      if (entry.kind !== 'number') continue;
      for (const value of [entry.min, entry.max])
        assert.deepEqual(
          change({ [key]: value }).refusals.filter((refusal) => refusal.code === 'group.bad_setting'),
          [],
          `${key} = ${value}`,
        );
    }
  });
});

test('nothing lasts longer than ten years, and no sign-in longer than 90 days', () => {
  const most = (unit: RegExp) =>
    Object.entries(groupSettings).flatMap(([key, entry]) =>
      entry.kind === 'number' && unit.test(entry.unit) ? [[key, entry.max] as const] : [],
    );
  assert.ok(most(/^days/).length > 5);
  for (const [key, days] of most(/^days/)) assert.equal(days, 3650, key);
  assert.deepEqual(most(/^hours/), [['session_hours', 2160]]);
});

describe('contradictions', () => {
  const fieldsOf = (changes: Record<string, unknown>, isLocal = true) =>
    refusalsOf(changes, isLocal).map((refusal) => {
      assert.equal(refusal.code, 'group.contradiction');
      return refusal.field;
    });

  test('both lists of extensions together', () => {
    assert.deepEqual(fieldsOf({ permitted_extensions: 'pdf' }), ['permitted_extensions']);
    assert.deepEqual(fieldsOf({ permitted_extensions: 'pdf', blocked_extensions: '' }), []);
  });

  test('a default longer than the maximum', () => {
    assert.deepEqual(fieldsOf({ message_max_expiration: 29 }), ['message_default_expiration']);
    assert.deepEqual(fieldsOf({ message_max_expiration: 30 }), []);
    assert.deepEqual(fieldsOf({ filelink_default_expiration: 181 }), ['filelink_default_expiration']);
  });

  test('unlimited downloads by default under a maximum', () => {
    assert.deepEqual(fieldsOf({ message_max_expires_after: 10, message_default_expires_after: 0 }), [
      'message_default_expires_after',
    ]);
    assert.deepEqual(fieldsOf({ message_max_expires_after: 10, message_default_expires_after: 11 }), [
      'message_default_expires_after',
    ]);
    assert.deepEqual(fieldsOf({ message_max_expires_after: 10, message_default_expires_after: 10 }), []);
    assert.deepEqual(fieldsOf({ message_default_expires_after: 500 }), []);
  });

  test('a maximum of downloads set alone moves the default below it', () => {
    const followed = (base: Partial<Policy>, changes: Record<string, unknown>) =>
      change(changes, { ...local, ...base }).policy.message_default_expires_after;
    assert.equal(followed({ message_default_expires_after: 0 }, { message_max_expires_after: 10 }), 10);
    assert.equal(followed({ message_default_expires_after: 20 }, { message_max_expires_after: 10 }), 10);
    assert.equal(followed({ message_default_expires_after: 3 }, { message_max_expires_after: 10 }), 3);
    assert.equal(followed({ message_default_expires_after: 3 }, { message_max_expires_after: 0 }), 3);
    assert.equal(followed({ message_default_expires_after: 0 }, { message_max_expires_after: 0 }), 0);
  });

  test('a default audience that the group may not use', () => {
    for (const [level, flag] of Object.entries(audiencePermission)) {
      const changes = { message_default_authorization: Number(level) };
      assert.deepEqual(fieldsOf({ ...changes, [flag]: false }), ['message_default_authorization']);
      assert.deepEqual(fieldsOf({ ...changes, [flag]: true }), []);
    }
  });

  test('a private message open to anyone', () => {
    const open = { message_can_use_anyone: true, message_default_authorization: 0 };
    assert.deepEqual(fieldsOf({ ...open, message_default_private_message: true }), ['message_default_private_message']);
  });

  test('"local users only" for local users, but not for outside people', () => {
    const only = { message_can_send_to_local_users_only: true };
    assert.deepEqual(fieldsOf(only), ['message_can_send_to_local_users_only']);
    assert.deepEqual(fieldsOf(only, false), []);
  });

  test('a pattern that can not be used, with the reason', () => {
    for (const pattern of ['(', '(?=a)', '\\1', '[']) {
      const [refusal] = refusalsOf({ message_recipient_pattern: pattern });
      assert.equal(refusal!.field, 'message_recipient_pattern');
      assert.match(refusal!.message, /can’t be used: ./);
    }
    assert.deepEqual(fieldsOf({ message_recipient_pattern: '@example\\.com$' }), []);
  });

  test('several are reported together', () => {
    assert.equal(
      fieldsOf({ permitted_extensions: 'pdf', message_max_expiration: 1, filelink_max_expiration: 1 }).length,
      3,
    );
  });
});

describe('defaults', () => {
  test('contradict nothing and change nothing when sent back', () => {
    for (const isLocal of [true, false]) {
      const policy = defaultPolicy(isLocal);
      assert.deepEqual(changePolicy(policy, { ...policy }, isLocal), { policy, refusals: [] });
    }
  });

  test('are those of the reference: 30/180 days for messages, 14/180 for links, recipients only', () => {
    assert.equal(local.message_default_expiration, 30);
    assert.equal(local.message_max_expiration, 180);
    assert.equal(local.filelink_default_expiration, 14);
    assert.equal(local.filelink_max_expiration, 180);
    assert.equal(local.message_default_authorization, 3);
    assert.equal(local.message_can_use_anyone, false);
    assert.equal(local.filelink_default_download_confirmation, true);
    assert.equal(local.message_default_bcc_myself, true);
  });

  test('give outside people no links and no requests, and local recipients only', () => {
    const outside = defaultPolicy(false);
    assert.equal(outside.can_use_filelinks, false);
    assert.equal(outside.can_use_file_requests, false);
    assert.equal(outside.message_can_send_to_local_users_only, true);
  });

  test('fill in settings that a stored document does not know yet', () => {
    const stored = completePolicy({ can_use_messages: false }, false);
    assert.deepEqual(stored, { ...defaultPolicy(false), can_use_messages: false });
  });

  test('replace nothing else: a setting that no longer exists is left out', () => {
    const stored = completePolicy({ gone_since: true } as Partial<Policy>, true);
    assert.deepEqual(stored, defaultPolicy(true));
  });

  test('never limit local users to local recipients, for any stored document', () => {
    const document = { message_can_send_to_local_users_only: true };
    assert.equal(completePolicy(document, true).message_can_send_to_local_users_only, false);
    assert.equal(completePolicy(document, false).message_can_send_to_local_users_only, true);
  });
});

describe('the two lists of extensions', () => {
  test('replace each other when only one is set', () => {
    assert.deepEqual(resolveExtensions({ permitted_extensions: 'pdf' }), {
      permitted_extensions: 'pdf',
      blocked_extensions: '',
    });
    assert.deepEqual(resolveExtensions({ blocked_extensions: ['exe'] }), {
      blocked_extensions: ['exe'],
      permitted_extensions: '',
    });
  });

  test('stay unchanged when both are sent, none is, or one is emptied', () => {
    for (const changes of [
      { permitted_extensions: 'pdf', blocked_extensions: 'exe' },
      { name: 'x' },
      { permitted_extensions: '' },
      { blocked_extensions: '' },
      { permitted_extensions: [] },
      { blocked_extensions: [] },
      { blocked_extensions: ' , ' },
    ])
      assert.deepEqual(resolveExtensions(changes), changes);
  });
});

test('for any input the result is a complete valid policy or a refusal, never both and never an error', () => {
  const key = fc.oneof(fc.constantFrom(...Object.keys(groupSettings)), fc.string());
  fc.assert(
    fc.property(fc.dictionary(key, fc.oneof(fc.jsonValue(), fc.boolean(), fc.integer()), { maxKeys: 5 }), (changes) => {
      const { policy, refusals } = change(changes);
      if (refusals.length > 0) {
        for (const refusal of refusals) assert.ok(refusal.message.length > 10 && refusal.field !== undefined);
        return;
      }
      assert.deepEqual(Object.keys(policy), Object.keys(local));
      assert.deepEqual(changePolicy(policy, { ...policy }, true), { policy, refusals: [] });
    }),
    { numRuns: 500 },
  );
});

describe('the levels a group may use', () => {
  test('are those whose flags are on', () => {
    assert.deepEqual(permittedLevels({ ...local, message_can_use_anyone: true }), [0, 1, 2, 3, 4]);
    assert.deepEqual(permittedLevels(local), [1, 2, 3, 4]);
    assert.deepEqual(permittedLevels({ ...local, message_can_use_specified_recipients: false }), [1, 2, 4]);
  });

  test('leave out "anyone with the link" where every text stays out of the e-mail', () => {
    const open = { ...local, message_can_use_anyone: true, message_default_private_message: true };
    assert.ok(permittedLevels(open).includes(0));
    assert.ok(!permittedLevels({ ...open, message_can_change_private_message: false }).includes(0));
  });
});
