import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Me } from '../../../me.ts';
import { adjustDraft, choicesOf, firstLevels, isUntouched, levelsOf, messageBody, newDraft } from './draft.ts';

const open = {
  message_default_authorization: 3,
  message_can_change_authorization: true,
  message_authorizations: [0, 1, 2, 3, 4],
  message_default_expiration: 30,
  message_max_expiration: 180,
  message_can_change_expiration: true,
  message_default_expires_after: 0,
  message_max_expires_after: 0,
  message_can_change_expires_after: true,
  message_default_bcc_myself: true,
  message_can_change_bcc_myself: true,
  message_default_private_message: false,
  message_can_change_private_message: true,
  message_can_use_html: true,
};

function meWith(policy: Partial<typeof open> = {}, senders = ['alice@example.com']): Me {
  const addresses = { senders, default_sender: senders[0], recipients: senders };
  return { policy: { ...open, ...policy }, addresses, today: '2026-11-16' } as unknown as Me;
}

const locked = meWith({
  message_can_change_authorization: false,
  message_can_change_expiration: false,
  message_can_change_expires_after: false,
  message_can_change_bcc_myself: false,
  message_can_change_private_message: false,
});

describe('a message draft', () => {
  it('has the choices of the group only, from strict to open', () => {
    assert.deepEqual(levelsOf(meWith().policy), [3, 4, 2, 1, 0]);
    assert.deepEqual(firstLevels(meWith().policy), [3, 0]);
    const some = meWith({ message_authorizations: [1, 2, 4] });
    assert.deepEqual(levelsOf(some.policy), [4, 2, 1]);
    assert.deepEqual(firstLevels(some.policy), [4, 1]);
    assert.equal(newDraft(some).level, 4, 'a default that is not permitted is none');
  });

  it('sends none of the settings that the user may not change', () => {
    assert.deepEqual(Object.values(choicesOf(locked.policy)), [false, false, false, false, false]);
    const body = messageBody(newDraft(locked), locked, { attachments: ['a'], sendsMail: true });
    assert.deepEqual(Object.keys(body.message).toSorted(), [
      'attachments',
      'bcc',
      'cc',
      'message',
      'message_format',
      'recipients',
      'send_email',
      'subject',
    ]);
  });

  it('sends those that the user may change, and a sender where there are several', () => {
    const me = meWith({}, ['alice@example.com', 'tenders@example.com']);
    const draft = { ...newDraft(me), level: 0 as const, isPrivate: true, downloads: null };
    const { message } = messageBody(draft, me, { attachments: [], sendsMail: false });
    assert.equal(message.authorization, 0);
    assert.equal(message.private_message, false, 'not with a link for anyone');
    assert.equal(message.expires_after, 0);
    assert.equal(message.expires_at, '2026-12-16');
    assert.equal(message.sender, 'alice@example.com');
  });

  it('sends formatted text as HTML, and plain text as typed', () => {
    const me = meWith();
    const sent = (part: { text: string; html: string }, person = me) => {
      const { message } = messageBody({ ...newDraft(me), ...part }, person, { attachments: [], sendsMail: true });
      return [message.message_format, message.message];
    };
    const formatted = { text: 'Hello', html: '<p><b>Hello</b></p>' };
    assert.deepEqual(sent(formatted), ['html', '<p><b>Hello</b></p>']);
    assert.deepEqual(sent({ text: 'a <b>', html: '' }), ['plain', 'a <b>']);
    const plainOnly = meWith({ message_can_use_html: false });
    assert.deepEqual(sent(formatted, plainOnly), ['plain', 'Hello'], 'the group may no longer send HTML');
    assert.equal(adjustDraft({ ...newDraft(me), ...formatted }, me).html, formatted.html);
    assert.equal(adjustDraft({ ...newDraft(me), ...formatted }, plainOnly).html, '');
  });

  it('is adapted to the current rules after days', () => {
    const old = { ...newDraft(meWith()), subject: 'Drawings', level: 0 as const, until: '2026-11-15', downloads: null };
    const now = meWith({ message_authorizations: [1, 2, 3, 4], message_max_expires_after: 5 });
    const adjusted = adjustDraft(old, now);
    assert.deepEqual(
      { level: adjusted.level, until: adjusted.until, downloads: adjusted.downloads, subject: adjusted.subject },
      { level: 3, until: '2026-12-16', downloads: 5, subject: 'Drawings' },
    );
  });

  it('is worth saving as soon as anything was typed or chosen', () => {
    const draft = newDraft(meWith());
    assert.equal(isUntouched(draft), true);
    assert.equal(isUntouched({ ...draft, text: 'Hi' }), false);
    assert.equal(isUntouched({ ...draft, bcc: [{ address: 'b@example.com', name: '' }] }), false);
    assert.equal(isUntouched({ ...draft, earlier: [{ id: 'x', name: 'a', sizeBytes: 1 }] }), false);
  });
});
