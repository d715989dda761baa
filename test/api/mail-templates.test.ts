import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { mailTemplateAnswer, mailTemplatesAnswer } from '#contract/admin/mail-templates.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { openDistantMailbox } from '#test/kit/distant-browser.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

onOneEngine('texts of mails', (start) => {
  const mailbox = openDistantMailbox();
  const app = useApp(start, mailbox.options);
  const alice = usePerson(app, 'alice');
  before(async () => {
    await app.admin.expect(200, 'changeUser', {
      params: { id: alice.email },
      body: { user: { name: 'Alice <b>Smith</b>' } },
    });
  });

  const change = (mailTemplate: Record<string, string>, kind = 'message') =>
    ({ params: { kind }, body: { mail_template: mailTemplate } }) as const;
  const read = async (kind = 'message') =>
    wireForm(mailTemplateAnswer, (await app.admin.expect(200, 'getMailTemplate', { params: { kind } })).body)
      .mail_template;
  const nextMail = async () => {
    await mailbox.post(app);
    await sendMessage(alice, {
      recipients: ['ben@harbour.example'],
      subject: 'Plans {{ sender }}',
      message: 'text',
      send_email: true,
      bcc_myself: false,
    });
    const [mail] = await mailbox.post(app);
    return mail!;
  };

  test('are refused to users, administrators below the top, and callers without an account', async () => {
    const administrator = await app.person('adam', { group: 'administrators' });
    for (const [who, status] of [
      [alice, 403],
      [administrator, 403],
      [app.anonymous, 401],
    ] as const) {
      await who.expect(status, 'listMailTemplates');
      await who.expect(status, 'getMailTemplate', { params: { kind: 'message' } });
      await who.expect(status, 'changeMailTemplate', change({ subject: 'Mine' }));
    }
    assert.equal((await read()).is_changed, false);
  });

  test('of an unknown kind are not found', async () => {
    for (const kind of ['nonsense', '__proto__', 'constructor', 'toString']) {
      await app.admin.expect(404, 'getMailTemplate', { params: { kind } });
      await app.admin.expect(404, 'changeMailTemplate', change({ subject: 'x' }, kind));
    }
  });

  test('keep the parts that a change leaves out, and lose those it empties', async () => {
    await app.admin.expect(200, 'changeMailTemplate', change({ subject: 'One {{ subject }}', intro: 'Two' }));
    const { body } = await app.admin.expect(200, 'changeMailTemplate', change({ closing: 'Three' }));
    const parts = (answer: unknown) => {
      const { subject, intro, closing } = (answer as { mail_template: Record<string, string> }).mail_template;
      return [subject, intro, closing];
    };
    assert.deepEqual(parts(body), ['One {{ subject }}', 'Two', 'Three']);
    const emptied = await app.admin.expect(200, 'changeMailTemplate', change({ intro: '' }));
    assert.deepEqual(parts(emptied.body), ['One {{ subject }}', '', 'Three']);
    await app.admin.expect(200, 'changeMailTemplate', change({ subject: '', intro: '', closing: '' }));
  });

  test('that do not render, or name unknown fields, are refused with a sentence that says where', async () => {
    for (const part of ['subject', 'intro', 'closing'] as const) {
      for (const words of [
        '{{ nonsense }}',
        '{{ sender',
        '{% if sender %}open',
        '{% include "secret" %}',
        '{% render "secret" %}',
        '{{ sender | no_such_filter }}',
        '{{ sender.constructor.constructor }}',
        '{% for i in (1..100000000) %}x{% endfor %}',
        'x'.repeat(200_000),
      ]) {
        const { body } = await app.admin.refused(
          422,
          'mail_template.does_not_render',
          'changeMailTemplate',
          change({ [part]: words }),
        );
        assert.match((body as { errors: string[] }).errors[0]!, /line \d/, words.slice(0, 40));
      }
    }
    assert.equal((await read()).is_changed, false);
    assert.equal((await nextMail()).subject, 'Plans {{ sender }}');
  });

  test('of every kind are listed with the fields they may name', async () => {
    const { body } = await app.admin.expect(200, 'listMailTemplates');
    const kinds = wireForm(mailTemplatesAnswer, body).mail_templates;
    assert.ok(kinds.length >= 17);
    for (const { kind, variables, is_changed } of kinds) {
      assert.equal(is_changed, false, kind);
      assert.ok(Array.isArray(variables));
    }
    assert.ok((await read()).variables.includes('sender'));
  });

  test('are used by the next mail, escaped and read once; empty parts restore the shipped ones', async () => {
    const shipped = await nextMail();
    await app.admin.expect(
      200,
      'changeMailTemplate',
      change({ subject: 'From {{ sender }}', intro: 'Dear reader, {{ sender }} wrote.' }),
    );
    const mine = await read();
    assert.deepEqual([mine.is_changed, mine.subject, mine.closing], [true, 'From {{ sender }}', '']);
    const mail = await nextMail();
    assert.equal(mail.subject, 'From Alice <b>Smith</b>');
    assert.match(mail.text, /Dear reader, Alice <b>Smith<\/b> wrote\./);
    assert.doesNotMatch(mail.html, /<b>Smith/);
    await app.restart();
    assert.equal((await nextMail()).subject, mail.subject, 'a restart forgets nothing');
    await app.admin.expect(200, 'changeMailTemplate', change({ subject: '', intro: '' }));
    assert.equal((await read()).is_changed, false);
    const again = await nextMail();
    assert.equal(again.subject, shipped.subject);
  });

  test('keep both of two concurrent changes', async () => {
    await Promise.all([
      app.admin.expect(200, 'changeMailTemplate', change({ closing: 'Kind regards' }, 'message')),
      app.admin.expect(200, 'changeMailTemplate', change({ closing: 'Until then' }, 'reminder')),
      app.admin.expect(200, 'changeMailTemplate', change({ closing: 'Bye' }, 'reset')),
    ]);
    await app.restart();
    const closings = await Promise.all(
      ['message', 'reminder', 'reset'].map(async (kind) => (await read(kind)).closing),
    );
    assert.deepEqual(closings, ['Kind regards', 'Until then', 'Bye']);
  });
});
