import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  assertPermittedRecipients,
  assertPermittedSize,
  limitFor,
  maxRecipients,
  messageStateAt,
  readBody,
  readRecipients,
  readSubject,
  resolveAudience,
  resolveDownloadLimit,
} from './messages.ts';
import { audiencePermission, defaultPolicy, type Policy } from './policy.ts';

const policy = (changes: Partial<Policy> = {}): Policy => ({ ...defaultPolicy(true), ...changes });
const lists = (to: string[], cc: string[] = [], bcc: string[] = []) => ({ to, cc, bcc });
const many = (count: number) => Array.from({ length: count }, (_, index) => `person${index}@harbour.example`);
const megabyte = 1024 * 1024;

describe('Recipients of a message', () => {
  test('one bad address refuses them all and is named, with its field', () => {
    for (const [field, wrong] of [
      ['recipients', lists(['ben@harbour.example', 'not an address'])],
      ['cc', lists(['ben@harbour.example'], ['@harbour.example'])],
      ['bcc', lists(['ben@harbour.example'], [], ['ben@'])],
    ] as const)
      assert.throws(() => readRecipients(wrong), { code: 'message.bad_recipient', field });
  });

  test('500 people are permitted and 501 are not, over To, Cc and Bcc together', () => {
    const people = many(maxRecipients + 1);
    const fits = readRecipients(lists(people.slice(0, 200), people.slice(200, 300), people.slice(300, 500)));
    assert.equal(fits.to.length + fits.cc.length + fits.bcc.length, 500);
    assert.throws(() => readRecipients(lists(people.slice(0, 200), people.slice(200, 300), people.slice(300))), {
      code: 'message.too_many_recipients',
    });
  });

  test('an address counts once, in its most visible role, however it is written', () => {
    const read = readRecipients(
      lists(
        ['Ben@Harbour.Example', 'ben@harbour.example'],
        ['BEN@harbour.example', 'cleo@pier.example'],
        ['cleo@PIER.example', 'dora@quay.example'],
      ),
    );
    assert.deepEqual(read, { to: ['ben@harbour.example'], cc: ['cleo@pier.example'], bcc: ['dora@quay.example'] });
  });

  test('repeating an address does not use up the number of people', () => {
    assert.equal(readRecipients(lists([...many(500), ...many(500)])).to.length, 500);
  });
});

describe('Whom a group may send to', () => {
  const local = new Set(['lea@example.com']);
  const may = (changes: Partial<Policy>, address: string) => {
    try {
      assertPermittedRecipients(policy(changes), [address], local);
      return true;
    } catch (error) {
      assert.equal((error as { code: string }).code, 'message.recipient_not_allowed');
      assert.match((error as Error).message, new RegExp(address.replace(/[.+]/g, '\\$&')));
      return false;
    }
  };

  test('domains are compared whole', () => {
    const limited = { message_limit_recipients: true, message_recipient_domains: ['harbour.example'] };
    for (const address of ['x@pier.example', 'x@sub.harbour.example', 'x@evilharbour.example', 'x@harbour.example.org'])
      assert.equal(may(limited, address), false, address);
    assert.equal(may(limited, 'x@harbour.example'), true);
  });

  test('an empty list of domains permits no outside recipient', () => {
    assert.equal(may({ message_limit_recipients: true }, 'x@harbour.example'), false);
  });

  test('the refusal names the domains that are permitted, if there are any', () => {
    const refuse = (domains: string[]) =>
      assertPermittedRecipients(
        policy({ message_limit_recipients: true, message_recipient_domains: domains }),
        ['x@elsewhere.example'],
        new Set(),
      );
    assert.throws(() => refuse(['harbour.example', 'quay.example']), {
      message:
        'Your group can’t send to x@elsewhere.example, only to addresses at @harbour.example, @quay.example. Ask your administrator if you need to.',
    });
    assert.throws(() => refuse([]), {
      message: 'Your group can’t send to x@elsewhere.example. Ask your administrator if you need to.',
    });
  });

  test('local users are permitted besides the domains only if the group says so', () => {
    const limited = { message_limit_recipients: true, message_recipient_domains: ['harbour.example'] };
    assert.equal(may({ ...limited, message_can_send_to_local_users: false }, 'lea@example.com'), false);
    assert.equal(may({ ...limited, message_can_send_to_local_users: true }, 'lea@example.com'), true);
    assert.equal(may({ ...limited, message_can_send_to_local_users: true }, 'nobody@example.com'), false);
  });

  test('domains mean nothing while the limit is off', () => {
    assert.equal(may({ message_recipient_domains: ['harbour.example'] }, 'x@elsewhere.example'), true);
  });

  test('outside users limited to local users reach no one else, with any listed domains', () => {
    const only = {
      message_can_send_to_local_users_only: true,
      message_limit_recipients: true,
      message_recipient_domains: ['harbour.example'],
    };
    assert.equal(may(only, 'x@harbour.example'), false);
    assert.equal(may(only, 'lea@example.com'), true);
  });

  test('the pattern is searched in the canonical address and binds local users too', () => {
    const ending = { message_recipient_pattern: '@harbour\\.example$' };
    assert.equal(may(ending, 'x@harbour.example'), true);
    assert.equal(may(ending, 'x@harbour.example.evil.org'), false);
    assert.equal(may(ending, 'lea@example.com'), false);
    assert.equal(may({ message_recipient_pattern: 'harbour\\.example' }, 'x@harbour.example.evil.org'), true);
  });

  test('one forbidden address among many refuses the message', () => {
    const limited = policy({ message_limit_recipients: true, message_recipient_domains: ['harbour.example'] });
    assert.throws(() => assertPermittedRecipients(limited, [...many(20), 'x@pier.example'], local), /x@pier\.example/);
  });
});

describe('The audience of a message', () => {
  test('a level outside 0 to 4 is refused', () => {
    for (const level of [5, 6, 100])
      assert.throws(() => resolveAudience(policy(), level), { code: 'message.bad_authorization' });
  });

  test('each level needs its own permission', () => {
    for (const [level, permission] of Object.entries(audiencePermission)) {
      const forbidden = policy({ message_can_use_anyone: true, [permission]: false });
      assert.throws(() => resolveAudience(forbidden, Number(level)), { code: 'message.audience_not_permitted' });
      resolveAudience(policy({ [permission]: true }), Number(level));
    }
  });

  test('where the group decides, only its own default is accepted', () => {
    const fixed = policy({ message_can_change_authorization: false, message_default_authorization: 2 });
    assert.throws(() => resolveAudience(fixed, 3), { code: 'message.setting_locked' });
    assert.equal(resolveAudience(fixed, 2), 'recipientsAndLocal');
    assert.equal(resolveAudience(fixed, undefined), 'recipientsAndLocal');
  });

  test('without input the default applies', () => {
    assert.equal(resolveAudience(policy(), undefined), 'recipientsOnly');
  });
});

describe('The download limit of a message', () => {
  test('more than the group permits is refused', () => {
    const bounded = policy({ message_max_expires_after: 10, message_default_expires_after: 3 });
    assert.throws(() => resolveDownloadLimit(bounded, 11), { code: 'message.too_many_downloads' });
    assert.equal(resolveDownloadLimit(bounded, 10), 10);
    const once = policy({ message_max_expires_after: 1 });
    assert.throws(() => resolveDownloadLimit(once, 2), { code: 'message.too_many_downloads', values: { n: 1 } });
  });

  test('where the group decides, only its own default is accepted', () => {
    const fixed = policy({ message_can_change_expires_after: false, message_default_expires_after: 3 });
    assert.throws(() => resolveDownloadLimit(fixed, 2), { code: 'message.setting_locked' });
    assert.throws(() => resolveDownloadLimit(fixed, 0), { code: 'message.setting_locked' });
    assert.equal(resolveDownloadLimit(fixed, 3), 3);
    assert.equal(resolveDownloadLimit(fixed, undefined), 3);
  });

  test('one person may have more downloads than the others, never fewer', () => {
    assert.deepEqual([limitFor(3, null), limitFor(3, 5), limitFor(3, 2), limitFor(null, 5)], [3, 5, 3, null]);
  });

  test('0 is "no limit" as far as the group permits it', () => {
    assert.equal(resolveDownloadLimit(policy(), 0), null);
    assert.equal(resolveDownloadLimit(policy(), undefined), null);
    const bounded = policy({ message_max_expires_after: 10, message_default_expires_after: 3 });
    assert.equal(resolveDownloadLimit(bounded, 0), 10);
    assert.equal(resolveDownloadLimit(bounded, undefined), 3);
  });
});

describe('Subject, text and size', () => {
  test('a subject with control characters, or longer than a mail header can hold, is refused', () => {
    for (const subject of ['a\r\nBcc: eve@quay.example', 'a\nb', 'a\0', 'a\tb', '\u007f'])
      assert.throws(() => readSubject(subject), { code: 'message.bad_subject' }, JSON.stringify(subject.slice(0, 20)));
    assert.equal(readSubject(''), '');
    assert.equal(readSubject(' \u00a0\u3000'), '', 'only spaces');
    assert.equal(readSubject(' Plans '), ' Plans ');
    assert.equal(readSubject('e\u0301'), 'é');
    assert.equal(readSubject('x'.repeat(998)).length, 998);
    for (const [letter, fitting] of [
      ['x', 998],
      ['é', 499],
      ['𝄞', 249],
    ] as const)
      assert.throws(() => readSubject(letter.repeat(999)), {
        code: 'message.subject_too_long',
        message: `Use at most ${fitting} characters for the subject.`,
      });
  });

  test('a text may have line breaks of any kind and tabs, and no other control characters', () => {
    for (const body of ['a\0b', 'a\u0008', 'a\u001b[31m', '\u007f'])
      assert.throws(() => readBody(body), { code: 'message.bad_body' }, JSON.stringify(body));
    assert.equal(readBody('one\r\ntwo\rthree\nfour\tfive'), 'one\ntwo\nthree\nfour\tfive');
    assert.equal(readBody(''), '');
  });

  test('a text has 256 KB at most', () => {
    assert.throws(() => readBody('x'.repeat(256 * 1024 + 1)), { code: 'message.body_too_long' });
    assert.equal(readBody('x'.repeat(256 * 1024)).length, 256 * 1024);
  });

  test('the files of a message may reach the limit and not pass it by a byte', () => {
    assertPermittedSize(policy({ message_max_size: 2 }), 2 * megabyte);
    assert.throws(() => assertPermittedSize(policy({ message_max_size: 2 }), 2 * megabyte + 1), {
      code: 'message.too_large',
      field: 'attachments',
      values: { size: { bytes: 2 * megabyte + 1 }, limit: { bytes: 2 * megabyte } },
    });
  });
});

test('a message is what was done to it, and else what its last instant says', () => {
  for (const [state, expiresAt, expected] of [
    ['revoked', 20, 'revoked'],
    ['revoked', 10, 'revoked'],
    ['released', 20, 'expired'],
    ['active', 9, 'expired'],
    ['active', 10, 'expired'],
    ['active', 11, 'active'],
  ] as const)
    assert.equal(messageStateAt({ state, expiresAt }, 10), expected, `${state} ${expiresAt}`);
  assert.equal(maxRecipients, 500);
});

test('the refusal names no domains if the sender may not write to anyone outside', () => {
  const refusal = (message_recipient_domains: string[]) => {
    const narrow = policy({ message_limit_recipients: true, message_recipient_domains });
    try {
      assertPermittedRecipients(narrow, ['x@elsewhere.example'], new Set());
    } catch (error) {
      const { message, values } = error as { message: string; values: { rule: string } };
      return [values.rule, /only to addresses at/.test(message)];
    }
    return null;
  };
  assert.deepEqual(refusal(['harbour.example']), ['domains', true]);
  assert.deepEqual(refusal([]), ['nobody', false]);
});
