import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { z } from 'zod';
import { mailDeliveryEndpoints } from '#contract/admin/mail-delivery.ts';
import { mailPreviewAnswer, mailTemplateAnswer } from '#contract/admin/mail-templates.ts';
import type { EventKind } from '#server/domain/events.ts';
import type { MailResult } from '#server/domain/ports.ts';
import { onEachDatabase, onOneEngine, type TestApp } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { until } from '#test/kit/eventually.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { newPerson, sendMessage } from '#test/kit/messages.ts';
import { type NameTable, startNameServer, type TestNameServer } from '#test/kit/name-server.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { startRelay, type TestRelay } from '#test/kit/smtp-relay.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const { listMails, listMailRefusals, testMail, checkMailDomain, getMailDelivery } = mailDeliveryEndpoints;
const eventsOf = async (app: TestApp, action: EventKind) =>
  app.app.ctx.db.read.selectFrom('events').selectAll().where('action', '=', action).orderBy('seq').execute();

onOneEngine('mail delivery', (start) => {
  const records: NameTable = {};
  let app: TestApp;
  let relay: TestRelay;
  let names: TestNameServer;
  before(async () => {
    relay = await startRelay();
    names = await startNameServer(records);
    app = await start({
      environment: {
        WAYBILL_ROLE: 'web',
        WAYBILL_SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
        WAYBILL_MAIL_FROM: 'files@northlight.example',
        WAYBILL_NAME_SERVER: names.address,
      },
    });
  });
  after(async () => {
    await app.close();
    await relay.close();
    names.close();
  });

  test('is refused to users, administrators below the top, and callers without an account', async () => {
    const people: [ApiClient, number][] = [
      [await app.person('alice'), 403],
      [await app.person('adam', { group: 'administrators' }), 403],
      [app.anonymous, 401],
    ];
    for (const [who, status] of people) {
      for (const name of ['getMailDelivery', 'checkMailDomain', 'listMails', 'listMailRefusals'] as const)
        await who.expect(status, name);
      await who.expect(status, 'testMail', { body: { mail_test: {} } });
      for (const name of ['retryMail', 'dropMail'] as const) await who.expect(status, name, { params: { id: 'x' } });
      for (const name of ['previewMailTemplate', 'testMailTemplate'] as const)
        await who.expect(status, name, { params: { kind: 'message' }, body: { mail_template: {} } });
    }
    assert.equal(relay.received.length, 0);
  });

  test('shows how mail is sent and where each setting comes from, and no secret', async () => {
    const { body, text } = await app.admin.expect(200, 'getMailDelivery');
    const { mail } = wireForm(getMailDelivery.answer, body);
    assert.deepEqual(
      [mail.is_set_up, mail.server, mail.security, mail.from, mail.envelope_from],
      [true, `127.0.0.1:${relay.port}`, 'none', 'files@northlight.example', 'files@northlight.example'],
    );
    const sources = Object.fromEntries(mail.settings.map(({ name, source, value }) => [name, [source, value]]));
    assert.deepEqual(sources.WAYBILL_SMTP_URL, ['environment', '•••']);
    assert.deepEqual(sources.WAYBILL_MAIL_RATE, ['default', '900/min']);
    assert.doesNotMatch(text, /smtp:\/\/127/);
  });

  test('sends a test mail to the caller, or to a given address, with an event', async () => {
    const { body } = await app.admin.expect(200, 'testMail', { body: { mail_test: {} } });
    const { mail_test } = wireForm(testMail.answer, body);
    assert.deepEqual([mail_test.to, mail_test.is_accepted, mail_test.steps.length], ['root@example.com', true, 7]);
    assert.match(mail_test.steps.at(-1)!.sentence, /has taken the mail/);
    await app.admin.expect(200, 'testMail', { body: { mail_test: { to: 'ben@harbour.example' } } });
    assert.deepEqual(
      relay.received.map(({ envelopeTo }) => envelopeTo),
      [['root@example.com'], ['ben@harbour.example']],
    );
    await app.admin.refused(422, 'mail_test.bad_address', 'testMail', { body: { mail_test: { to: 'ben' } } });
    assert.equal((await eventsOf(app, 'mail.tested')).length, 2);
  });

  test('explains a failed step with a sentence and a correction in the language of the caller', async () => {
    const { body } = await app.admin.expect(200, 'checkMailDomain', { headers: { 'accept-language': 'de' } });
    const dmarc = wireForm(checkMailDomain.answer, body).domain.checks.find(({ check }) => check === 'dmarc')!;
    assert.deepEqual([dmarc.state, dmarc.code], ['failed', 'dmarc.missing']);
    assert.match(dmarc.sentence, /^northlight\.example hat keinen DMARC-Eintrag/);
    assert.match(dmarc.cure!, /Eintrag/);
    assert.deepEqual(dmarc.record, {
      name: '_dmarc.northlight.example',
      type: 'TXT',
      value: 'v=DMARC1; p=none; rua=mailto:postmaster@northlight.example',
    });
  });

  const preview = async (words: object, kind = 'message') =>
    wireForm(
      mailPreviewAnswer,
      (await app.admin.expect(200, 'previewMailTemplate', { params: { kind }, body: { mail_template: words } })).body,
    ).preview;

  test('previews texts of mails with sample data before they are saved, and reports their errors', async () => {
    const shown = await preview({ subject: 'From {{ sender }}', intro: 'Have a look.' });
    assert.match(shown.subject, /^From \w+/);
    assert.match(shown.text, /Have a look\./);
    assert.match(shown.html, /Have a look\./);
    assert.deepEqual(shown.problems, []);
    const wrong = await preview({ subject: '{{ unknown }}' });
    assert.match(wrong.problems[0]!, /line 1/);
    assert.notEqual(wrong.subject, '');
    const { body } = await app.admin.expect(200, 'getMailTemplate', { params: { kind: 'message' } });
    assert.equal(wireForm(mailTemplateAnswer, body).mail_template.is_changed, false);
    await app.admin.expect(404, 'previewMailTemplate', { params: { kind: 'nonsense' }, body: { mail_template: {} } });
  });

  test('previews texts of mails as a page for our own frame, which runs and loads nothing', async () => {
    const path = `/admin/mail_templates/message/page?${new URLSearchParams({ intro: 'Have <b>a</b> look.' })}`;
    const reply = await app.admin.fetch(path);
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('content-type'), 'text/html; charset=utf-8');
    const policy = reply.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^sandbox; .*default-src 'none'; .*frame-ancestors 'self'$/);
    assert.doesNotMatch(policy, /script|https?:/);
    assert.match(reply.text, /Have &lt;b&gt;a&lt;\/b&gt; look\./);
    assert.doesNotMatch(reply.text, /src="(?!data:)/);
    const dark = (await app.admin.fetch(`${path}&scheme=dark`)).text;
    assert.deepEqual([/@media not all/.test(reply.text), /@media all/.test(reply.text)], [true, false]);
    assert.deepEqual([/@media not all/.test(dark), /@media all/.test(dark)], [false, true]);
    const password = 'grey otters under a paper moon';
    const chief = await app.person('chief', { group: 'system-administrators', password });
    const root = await signIn(app, chief.email, password);
    for (const site of ['cross-site', 'same-site', 'none'])
      assert.equal((await root.fetch(path, { headers: { 'x-csrf-token': '', 'sec-fetch-site': site } })).status, 403);
    assert.equal((await root.fetch(path, { headers: { 'x-csrf-token': '' } })).status, 200);
  });

  test('sends texts of mails to the caller before they are saved, unless they do not render', async () => {
    const count = relay.received.length;
    const options = (intro: string) => ({ params: { kind: 'reminder' }, body: { mail_template: { intro } } });
    await app.admin.expect(200, 'testMailTemplate', options('Only a reminder of mine.'));
    assert.match(relay.received.at(-1)!.mime.toString(), /Only a reminder of mine\./);
    assert.equal(relay.received.length, count + 1);
    await app.admin.refused(422, 'mail_template.does_not_render', 'testMailTemplate', options('{{ unknown }}'));
    assert.equal(relay.received.length, count + 1);
  });

  test('shows changed texts next to the shipped ones, and next to the older ones they were based on', async () => {
    const change = { params: { kind: 'reset' }, body: { mail_template: { closing: 'Bye' } } };
    const saved = wireForm(mailTemplateAnswer, (await app.admin.expect(200, 'changeMailTemplate', change)).body);
    assert.match(saved.mail_template.shipped.subject, /password/i);
    assert.equal(saved.mail_template.shipped_when_changed, null);
    // As if an older version had saved them.
    const { ctx } = app.app;
    const row = await ctx.db.read.selectFrom('settings').select('document').executeTakeFirstOrThrow();
    const document = JSON.parse(row.document);
    document.mailTemplatesShipped.reset.subject = 'As it was';
    await ctx.db.write(async (tx) => {
      await tx
        .updateTable('settings')
        .set((eb) => ({ document: JSON.stringify(document), version: eb('version', '+', 1) }))
        .execute();
    });
    await ctx.settings.refresh();
    // Immediately in this process, within seconds in another one.
    await until(async () => {
      const { body } = await app.admin.expect(200, 'getMailTemplate', { params: { kind: 'reset' } });
      return wireForm(mailTemplateAnswer, body).mail_template.shipped_when_changed?.subject === 'As it was';
    });
  });
});

type DomainChecks = z.input<typeof checkMailDomain.answer>['domain']['checks'];

onOneEngine('the sender domain', (start) => {
  const records: NameTable = {};
  let app: TestApp;
  let names: TestNameServer;
  before(async () => {
    names = await startNameServer(records);
    app = await start({
      environment: {
        WAYBILL_SMTP_URL: 'smtp://relay.northlight.example:587',
        WAYBILL_MAIL_FROM: 'files@northlight.example',
        WAYBILL_NAME_SERVER: names.address,
        WAYBILL_ROLE: 'web',
      },
    });
  });
  after(async () => {
    await app.close();
    names.close();
  });

  const checkDomain = async (table: NameTable, query: Record<string, string> = {}) => {
    for (const name of Object.keys(records)) delete records[name];
    Object.assign(records, { 'A relay.northlight.example': '192.0.2.25' }, table);
    const { body } = await app.admin.expect(200, 'checkMailDomain', { query });
    const { checks } = wireForm(checkMailDomain.answer, body).domain;
    return Object.fromEntries(checks.map((check) => [check.check, check])) as Record<string, DomainChecks[number]>;
  };

  test('with every record passes', async () => {
    const checks = await checkDomain({
      'TXT northlight.example': ['v=spf1 include:spf.relay.example -all', 'something else'],
      'TXT spf.relay.example': 'v=spf1 ip4:192.0.2.0/24 ~all',
      'TXT mail._domainkey.northlight.example': `v=DKIM1; k=rsa; p=${'A'.repeat(400)}`,
      'TXT _dmarc.northlight.example': 'v=DMARC1; p=reject',
      'PTR 25.2.0.192.in-addr.arpa': 'relay.northlight.example',
    });
    assert.deepEqual(
      Object.values(checks).map(({ state, code }) => [state, code]),
      [
        ['passed', 'spf.ok'],
        ['passed', 'dkim.ok'],
        ['passed', 'dmarc.ok'],
        ['passed', 'ptr.ok'],
      ],
    );
  });

  test('without any record lists the records to add', async () => {
    const { spf, dkim, dmarc, ptr } = await checkDomain({});
    assert.deepEqual(spf!.record, { name: 'northlight.example', type: 'TXT', value: 'v=spf1 ip4:192.0.2.25 ~all' });
    assert.equal(dkim!.code, 'dkim.missing');
    assert.equal(dmarc!.code, 'dmarc.missing');
    assert.deepEqual([ptr!.code, ptr!.record!.name], ['ptr.missing', '25.2.0.192.in-addr.arpa']);
  });

  for (const [what, spf, code, value] of [
    ['that does not name the relay', 'v=spf1 mx -all', 'spf.not_covered', 'v=spf1 ip4:192.0.2.25 mx -all'],
    ['twice', ['v=spf1 a -all', 'v=spf1 mx ~all'], 'spf.several', 'v=spf1 a mx -all'],
    ['that includes nothing', 'v=spf1 include:unknown.example -all', 'spf.broken', null],
    ['that names the host of the relay', 'v=spf1 a:relay.northlight.example -all', 'spf.ok', null],
    ['that redirects', 'v=spf1 redirect=spf.relay.example', 'spf.ok', null],
    ['that includes itself', 'v=spf1 include:northlight.example -all', 'spf.broken', null],
  ] as const) {
    test(`with an SPF record ${what} is ${code}`, async () => {
      const checks = await checkDomain({
        'TXT northlight.example': spf,
        'TXT spf.relay.example': 'v=spf1 ip4:192.0.2.25 -all',
      });
      assert.deepEqual([checks.spf!.code, checks.spf!.record?.value ?? null], [code, value]);
    });
  }

  test('is checked for a DKIM key under the given selector; one without a key is withdrawn', async () => {
    const table = { 'TXT x1._domainkey.northlight.example': 'v=DKIM1; p=' };
    assert.equal((await checkDomain(table)).dkim!.code, 'dkim.missing');
    assert.equal((await checkDomain(table, { selector: 'x1' })).dkim!.code, 'dkim.withdrawn');
    await app.admin.refused(422, 'request.invalid', 'checkMailDomain', { query: { selector: 'a b' } });
  });

  test('with a DMARC record that says nothing is broken, with one that only monitors is fine', async () => {
    assert.equal((await checkDomain({ 'TXT _dmarc.northlight.example': 'v=DMARC1; q=1' })).dmarc!.code, 'dmarc.broken');
    assert.equal(
      (await checkDomain({ 'TXT _dmarc.northlight.example': 'v=DMARC1; p=none' })).dmarc!.code,
      'dmarc.watching',
    );
  });

  test('of an address whose name leads elsewhere is named', async () => {
    const { ptr } = await checkDomain({
      'PTR 25.2.0.192.in-addr.arpa': 'other.example',
      'A other.example': '192.0.2.99',
    });
    assert.equal(ptr!.code, 'ptr.astray');
    assert.match(ptr!.cure!, /other\.example/);
  });
});

onEachDatabase('the mail queue', (start) => {
  const mailbox = openMailbox();
  let verdict: MailResult | null = null;
  const transport = {
    ...mailbox.transport,
    send: (mail: Parameters<typeof mailbox.transport.send>[0]) =>
      verdict === null ? mailbox.transport.send(mail) : Promise.resolve(verdict),
  };
  const app = useApp(start, { ...mailbox.options, mailTransport: transport });
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
    await mailbox.post(app);
  });

  const list = async (query: Record<string, string> = {}) =>
    wireForm(listMails.answer, (await app.admin.expect(200, 'listMails', { query })).body);
  const sendTo = (...recipients: string[]) => sendMessage(alice, { recipients, send_email: true, bcc_myself: false });

  test('lists waiting mails, newest first, a page at a time, each mail once', async () => {
    verdict = { outcome: 'deferred', reason: '451 4.3.0 come back later' };
    const addresses = Array.from({ length: 7 }, (_, index) => `p${index}@harbour.example`);
    for (const address of addresses) await sendTo(address);
    await app.app.jobs.runOnce('send-outbox');
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page = await list({ size: '3', ...(after === null ? {} : { after }) });
      assert.ok(page.mails.length <= 3);
      for (const mail of page.mails) assert.deepEqual([mail.state, mail.attempts], ['waiting', 1]);
      seen.push(...page.mails.map(({ to }) => to));
      after = page.next;
    } while (after !== null);
    assert.deepEqual(seen.toSorted(), addresses);
    assert.match((await list()).mails[0]!.said, /come back later/);
    await app.admin.refused(422, 'list.bad_place', 'listMails', { query: { after: 'here' } });
  });

  test('retries a waiting mail on request, and never sends a dropped one; both are events', async () => {
    const [first, second] = (await list()).mails;
    const dropped = await app.admin.expect(200, 'dropMail', { params: { id: first!.id } });
    assert.equal((dropped.body as { mail: { state: string } }).mail.state, 'dropped');
    verdict = null;
    await app.admin.expect(200, 'retryMail', { params: { id: second!.id } });
    assert.deepEqual(
      (await mailbox.post(app)).map(({ to }) => to),
      [second!.to],
    );
    for (const name of ['retryMail', 'dropMail'] as const) {
      await app.admin.refused(409, 'mail.not_waiting', name, { params: { id: second!.id } });
      await app.admin.refused(404, 'queued_mail.not_found', name, { params: { id: 'nothing' } });
    }
    assert.deepEqual(
      [(await eventsOf(app, 'mail.retried')).length, (await eventsOf(app, 'mail.dropped')).length],
      [1, 1],
    );
    assert.equal((await list({ state: 'dropped' })).mails.length, 1);
  });

  test('counts refused mails by domain with the reason of the last, and can retry them', async () => {
    verdict = { outcome: 'refused', reason: '550 5.1.1 no such user' };
    await sendTo('a@quay.example', 'b@quay.example');
    await sendTo('c@pier.example');
    await app.app.jobs.runOnce('send-outbox');
    const { refusals } = wireForm(listMailRefusals.answer, (await app.admin.expect(200, 'listMailRefusals')).body);
    assert.deepEqual(
      refusals.map(({ domain, mails }) => [domain, mails]),
      [
        ['quay.example', 2],
        ['pier.example', 1],
      ],
    );
    assert.match(refusals[0]!.said, /no such user/);
    const { mails } = await list({ state: 'refused', domain: 'pier.example' });
    assert.deepEqual(
      mails.map(({ to }) => to),
      ['c@pier.example'],
    );
    verdict = null;
    await app.admin.expect(200, 'retryMail', { params: { id: mails[0]!.id } });
    assert.ok((await mailbox.post(app)).some(({ to }) => to === 'c@pier.example'));
  });
});
