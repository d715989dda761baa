import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { OutgoingMail } from '#server/domain/ports.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { DistantBrowser, openDistantMailbox } from '#test/kit/distant-browser.ts';
import { codeIn } from '#test/kit/mailbox.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { isBehindNginx } from '#test/kit/outside.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const dayMs = 24 * 3_600_000;
const password = 'seven lamps under a quiet river';

onOneEngine('mails and languages', (start) => {
  const mailbox = openDistantMailbox();
  const app = useApp(start, mailbox.options);
  const alice = usePerson(app, 'alice');
  let people = 0;
  beforeEach(() => mailbox.post(app));

  const newAddress = () => `ben${++people}@harbour.example`;
  const send = (recipient: string, more: Record<string, unknown> = {}) =>
    sendMessage(alice, {
      recipients: [recipient],
      subject: 'Harbour drawings',
      send_email: true,
      message: 'The text for Ben.',
      attachments: [inlineFile('plan.txt', 'the plan')],
      ...more,
    });
  const mailTo = async (address: string): Promise<OutgoingMail> => {
    const [mail] = await mailbox.postTo(app, address);
    assert.ok(mail !== undefined, `no mail to ${address}`);
    return mail;
  };
  const pageOf = (mail: OutgoingMail): string => {
    const path = /\/mail\/[\w-]+/.exec(mail.text)?.[0];
    assert.ok(path !== undefined, mail.text);
    return path;
  };
  const setLanguage = (email: string, language: string | null) =>
    app.app.ctx.db.write((tx) => tx.updateTable('users').set({ language }).where('email', '=', email).execute());
  const open = (path: string, headers: Record<string, string> = {}) => new Browser(app.url).get(path, headers);

  test('a changed, truncated or made-up address opens nothing', async () => {
    const address = newAddress();
    await send(address);
    const path = pageOf(await mailTo(address));
    const other = path.endsWith('A') ? 'B' : 'A';
    const { id } = await app.app.ctx.db.read
      .selectFrom('outbox')
      .select('id')
      .where('recipient', '=', address)
      .executeTakeFirstOrThrow();
    assert.ok(path.startsWith(`/mail/${id}`));
    for (const wrong of [
      `${path.slice(0, -1)}${other}`,
      path.slice(0, -1),
      `${path}x`,
      `/mail/${id}`,
      '/mail/x',
      // nginx itself refuses what cannot be an address.
      ...(isBehindNginx ? [] : ['/mail/%00']),
    ])
      assert.equal((await open(wrong)).status, 404, wrong);
  });

  test('a message shows its text in the chosen language, and no actions', async () => {
    const address = newAddress();
    const { id } = await send(address);
    const mail = await mailTo(address);
    assert.match(mail.text, /Read this in another language:\n/);
    const path = pageOf(mail);
    for (const [query, headers, locale, heading] of [
      ['?lang=de', {}, 'de', 'hat Ihnen 1 Datei gesendet'],
      ['?lang=fr', { 'accept-language': 'de' }, 'fr', 'vous a envoyé 1 fichier'],
      ['', { 'accept-language': 'sv' }, 'sv', 'har skickat dig 1 fil'],
      ['?lang=<script>', {}, 'en', 'sent you 1 file'],
    ] as const) {
      const reply = await open(path + query, headers);
      assert.equal(reply.status, 200);
      assert.match(reply.text, new RegExp(`<html lang="${locale}"`));
      assert.ok(reply.words.includes(heading), heading);
      assert.ok(reply.words.includes('The text for Ben.') && reply.words.includes('plan.txt'));
      assert.equal(reply.text.includes(id), false, 'no link to the message');
    }
  });

  test('a private message shows no more than its mail', async () => {
    const address = newAddress();
    await send(address, { private_message: true });
    const reply = await open(`${pageOf(await mailTo(address))}?lang=es`);
    assert.equal(reply.status, 200);
    assert.doesNotMatch(reply.text, /The text for Ben|plan\.txt|Harbour drawings/);
    assert.match(reply.words, /le ha enviado un mensaje privado/);
  });

  test('codes and links of one-time mails are not on the page', async () => {
    const address = newAddress();
    const { id } = await send(address);
    await mailTo(address);
    const browser = new DistantBrowser(app.url);
    await browser.submit('/verify/address', { target: `message:${id}`, address });
    const mail = await mailTo(address);
    const code = codeIn(mail);
    const reply = await open(`${pageOf(mail)}?lang=de`);
    assert.equal(reply.status, 200);
    assert.equal(reply.text.includes(code) || reply.text.includes(code.replace('-', '')), false);
    assert.match(reply.words, /ist Ihr Code/);
    const { email } = await app.person('resetter', { password, email: newAddress() });
    await mailbox.post(app);
    await new DistantBrowser(app.url).submit('/forgot', { email });
    const reset = await mailTo(email);
    const token = /\/reset\/(\w+)/.exec(reset.text)?.[1];
    assert.ok(token !== undefined);
    const page = await open(`${pageOf(reset)}?lang=de`);
    assert.equal(page.status, 200);
    assert.equal(page.text.includes(token), false);
  });

  test('the page ends with the subject of its mail', async () => {
    const withdrawn = newAddress();
    const { id } = await send(withdrawn);
    const removed = newAddress();
    const { id: other } = await send(removed);
    const expiring = newAddress();
    await send(expiring, { expires_at: new Date(app.clock.now()).toISOString().slice(0, 10) });
    const posted = await mailbox.post(app);
    const paths = [withdrawn, removed, expiring].map((to) => pageOf(posted.find((mail) => mail.to === to)!));
    await alice.expect(200, 'deleteMessageAttachments', { params: { id } });
    await app.app.ctx.db.write((tx) =>
      tx.updateTable('message_recipients').set({ state: 'revoked' }).where('message_id', '=', other).execute(),
    );
    assert.equal((await open(paths[2]!)).status, 200);
    app.clock.advance(dayMs);
    for (const path of paths) {
      const reply = await open(path);
      assert.equal(reply.status, 410);
      assert.doesNotMatch(reply.text, /The text for Ben|plan\.txt|Harbour drawings|alice/i);
    }
  });

  test('the page of an invitation ends with its request, and opens again with it', async () => {
    const invited = newAddress();
    const request = { recipient: invited, subject: 'Photos', message: 'Please.', send_email: true };
    const { body } = await alice.expect(200, 'createFileRequest', { body: { request } });
    const { id } = (body as { request: { id: string } }).request;
    const path = pageOf(await mailTo(invited));
    assert.equal((await open(path)).status, 200);
    await alice.expect(200, 'closeRequest', { params: { id } });
    const closed = await open(path);
    assert.equal(closed.status, 410);
    assert.doesNotMatch(closed.text, /Photos|Please/);
    await alice.expect(200, 'reopenRequest', { params: { id }, body: { send_email: false } });
    assert.equal((await open(path)).status, 200);
    await app.app.ctx.db.write((tx) => tx.deleteFrom('file_requests').where('id', '=', id).execute());
    assert.equal((await open(path)).status, 410);
  });

  test('a mail is in the language of its reader, else the one its sender chose, else the one of the installation', async () => {
    const { email } = await app.person('lena', { email: newAddress() });
    await mailbox.post(app);
    await setLanguage(email, 'sv');
    await send(email);
    assert.match((await mailTo(email)).text, /har skickat dig 1 fil/);
    await setLanguage(email, null);
    const stranger = newAddress();
    await send(stranger);
    await choose(stranger, 'fr');
    assert.match((await mailTo(stranger)).text, /vous a envoyé 1 fichier/);
    await send(email);
    assert.match((await mailTo(email)).text, /sent you 1 file/);
  });

  test('texts changed by an administrator are for mails in the language of the installation', async () => {
    await app.admin.expect(200, 'changeMailTemplate', {
      params: { kind: 'private-message' },
      body: { mail_template: { subject: 'Our own words from {{ sender }}' } },
    });
    const { email } = await app.person('otto', { email: newAddress() });
    await mailbox.post(app);
    await send(email, { private_message: true });
    assert.match((await mailTo(email)).subject, /^Our own words/);
    await setLanguage(email, 'de');
    await send(email, { private_message: true });
    assert.match((await mailTo(email)).subject, /private Nachricht/);
  });

  /** Sets a language for the mail, as the compose screen will. */
  async function choose(recipient: string, language: string): Promise<void> {
    const { ctx } = app.app;
    const row = await ctx.db.read
      .selectFrom('outbox')
      .selectAll()
      .where('recipient', '=', recipient)
      .executeTakeFirstOrThrow();
    const payload = { ...JSON.parse(ctx.keys.openText('mail', row.payload_sealed, row.id)), language };
    const sealed = ctx.keys.sealText('mail', JSON.stringify(payload), row.id);
    await ctx.db.write((tx) =>
      tx.updateTable('outbox').set({ payload_sealed: sealed }).where('id', '=', row.id).execute(),
    );
  }
});
