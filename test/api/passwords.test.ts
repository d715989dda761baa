import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { DistantBrowser, inParallel, newNetwork, openDistantMailbox, pathIn } from '#test/kit/distant-browser.ts';
import { useApp } from '#test/kit/use-app.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const oldPassword = 'seven lamps under a quiet river';
const newPassword = 'nine bridges over a loud canal';

onEachDatabase('passwords', (start) => {
  const mailbox = openDistantMailbox();
  const app = useApp(start, mailbox.options);
  let people = 0;
  beforeEach(() => mailbox.post(app));

  const newPerson = async (): Promise<{ email: string }> => {
    const email = `person${++people}@example.com`;
    await app.admin.expect(200, 'createUser', { body: { user: { email, password: oldPassword } } });
    return { email };
  };
  const browse = (address?: string) => new DistantBrowser(app.url, address);
  const forgot = (email: string, browser = browse()) => browser.submit('/forgot', { email });
  const resetPath = async (email: string): Promise<string> => {
    await forgot(email);
    const [mail] = await mailbox.postTo(app, email);
    assert.ok(mail !== undefined, 'no reset mail');
    return pathIn(mail, '/reset/');
  };
  const canSignIn = async (email: string, password: string) =>
    (await browse().submit('/sign-in', { email, password })).status === 303;
  let invitees = 0;
  const invite = async (more: Record<string, unknown> = {}) => {
    const email = `guest${++invitees}@harbour.example`;
    await app.admin.expect(200, 'createUser', { body: { user: { email, invite: true, ...more } } });
    const [mail] = await mailbox.postTo(app, email);
    assert.ok(mail !== undefined, 'no invitation');
    return { email, mail, path: pathIn(mail, '/invite/') };
  };

  testOnce('the answer is the same for every address; only existing, active accounts get a mail', async () => {
    const known = await newPerson();
    const disabled = await newPerson();
    await app.admin.expect(200, 'changeUser', { params: { id: disabled.email }, body: { user: { disabled: true } } });
    const emails = [known.email, disabled.email, 'unknown@example.com'];
    const replies = await Promise.all(emails.map((email) => forgot(email)));
    const texts = replies.map((reply, index) =>
      DistantBrowser.withoutToken(`${reply.status} ${reply.text.replaceAll(emails[index]!, 'EMAIL')}`),
    );
    assert.equal(new Set(texts).size, 1);
    assert.equal(replies[0]!.status, 200);
    assert.deepEqual(
      (await mailbox.post(app)).map((mail) => mail.to),
      [known.email],
    );
  });

  testOnce('a missing and an invalid address are reported at the field', async () => {
    for (const email of ['', 'not an address']) assert.equal((await forgot(email)).status, 422);
    assert.deepEqual(await mailbox.post(app), []);
  });

  test('an account gets three mails an hour, also from concurrent requests; a network may send ten requests', async () => {
    const { email } = await newPerson();
    await inParallel(12, 12, () => forgot(email));
    assert.equal((await mailbox.post(app)).length, 3);
    assert.equal((await forgot(email)).status, 200);
    assert.equal((await mailbox.post(app)).length, 0);
    app.clock.advance(hourMs);
    await forgot(email);
    assert.equal((await mailbox.post(app)).length, 1);
    const network = newNetwork();
    const others: string[] = [];
    for (let index = 0; index < 11; index++) others.push((await newPerson()).email);
    for (const other of others) await forgot(other, browse(network));
    assert.equal((await mailbox.post(app)).length, 10);
  });

  test('an unknown link, one of another kind and garbage show the same page and change nothing', async () => {
    const { path } = await invite();
    const token = path.split('/')[2]!;
    for (const place of ['/reset/0000', `/reset/${'A'.repeat(44)}`, `/reset/${token}`]) {
      assert.equal((await browse().get(place)).status, 404, place);
      assert.notEqual((await browse().submit(place, { password: newPassword })).status, 303, place);
    }
    assert.equal((await browse().get(path)).status, 200);
  });

  testOnce('an invalid password is refused at its field, and the link stays valid', async () => {
    const { email } = await newPerson();
    const path = await resetPath(email);
    for (const password of ['', 'short', 'passwordpassword', `${email}`, '            ']) {
      const reply = await browse().submit(path, { password });
      assert.equal(reply.status, 422, password);
      assert.match(reply.text, /aria-invalid="true"/);
    }
    assert.equal(await canSignIn(email, oldPassword), true);
    assert.equal((await browse().submit(path, { password: newPassword })).status, 303);
  });

  testOnce('a link ends after one hour', async () => {
    const { email } = await newPerson();
    const path = await resetPath(email);
    app.clock.advance(hourMs);
    const reply = await browse().submit(path, { password: newPassword });
    assert.notEqual(reply.status, 303);
    assert.equal(await canSignIn(email, oldPassword), true);
  });

  testOnce('a newer link invalidates the older one', async () => {
    const { email } = await newPerson();
    const older = await resetPath(email);
    const newer = await resetPath(email);
    assert.notEqual((await browse().submit(older, { password: newPassword })).status, 303);
    assert.equal((await browse().submit(newer, { password: newPassword })).status, 303);
  });

  testOnce('a link of an account that was disabled since is refused', async () => {
    const { email } = await newPerson();
    const path = await resetPath(email);
    await app.admin.expect(200, 'changeUser', { params: { id: email }, body: { user: { disabled: true } } });
    assert.equal((await browse().get(path)).status, 404);
    assert.notEqual((await browse().submit(path, { password: newPassword })).status, 303);
  });

  test('a link posted from a foreign page is refused', async () => {
    const { email } = await newPerson();
    const path = await resetPath(email);
    const reply = await browse().submit(path, { password: newPassword }, { origin: 'https://evil.example' });
    assert.equal(reply.status, 403);
  });

  testOnce('opening a link, repeatedly and by HEAD, does not use it', async () => {
    const { email } = await newPerson();
    const path = await resetPath(email);
    for (let index = 0; index < 5; index++) assert.equal((await browse().get(path)).status, 200);
    await browse().head(path);
    assert.equal((await browse().submit(path, { password: newPassword })).status, 303);
  });

  test('of a thousand parallel attempts with one link exactly one sets its password', async () => {
    const { email } = await newPerson();
    const path = await resetPath(email);
    const first = browse();
    const replies = await inParallel(1000, 50, async (index) =>
      (await browse().imitate(first)).submit(path, { password: `${newPassword} number ${index}` }),
    );
    const winners = replies.flatMap((reply, index) => (reply.status === 303 ? [index] : []));
    assert.equal(winners.length, 1);
    assert.equal(await canSignIn(email, `${newPassword} number ${winners[0]}`), true);
    assert.equal(replies.filter((reply) => reply.status >= 500 && reply.status !== 503).length, 0);
  });

  testOnce(
    'the new password works, the old one and every session have ended, and the link says that it was used',
    async () => {
      const { email } = await newPerson();
      const browser = browse();
      await browser.submit('/sign-in', { email, password: oldPassword, keep: '1' });
      const path = await resetPath(email);
      const reply = await browse().submit(path, { password: newPassword });
      assert.deepEqual([reply.status, reply.location], [303, '/sign-in']);
      assert.equal((await browser.get('/sign-in')).status, 200);
      assert.equal(await canSignIn(email, oldPassword), false);
      assert.equal(await canSignIn(email, newPassword), true);
      const again = await browse().get(path);
      assert.match(again.text, /already used/);
      assert.notEqual((await browse().submit(path, { password: oldPassword })).status, 303);
    },
  );

  testOnce('no invitation is sent to users with a password, disabled users and active ones', async () => {
    const user = { email: 'eve@harbour.example', invite: true };
    await app.admin.refused(422, 'user.not_invitable', 'createUser', {
      body: { user: { ...user, password: newPassword } },
    });
    await app.admin.refused(422, 'user.not_invitable', 'createUser', { body: { user: { ...user, disabled: true } } });
    const { email } = await newPerson();
    await app.admin.refused(422, 'user.not_invitable', 'changeUser', {
      params: { id: email },
      body: { user: { invite: true } },
    });
    await app.admin.refused(422, 'user.email_taken', 'createUser', { body: { user: { email, invite: true } } });
    assert.deepEqual(await mailbox.post(app), []);
  });

  testOnce('a user created without "invite" gets no mail', async () => {
    await app.admin.expect(200, 'createUser', { body: { user: { email: 'quiet@harbour.example' } } });
    assert.deepEqual(await mailbox.post(app), []);
  });

  test('an invitation requires a name and a password, works once, and ends after seven days', async () => {
    const { email, mail, path } = await invite();
    assert.match(mail.subject, /invited you/);
    assert.equal((await browse().submit(path, { name: '', password: newPassword })).status, 422);
    assert.equal((await browse().submit(path, { name: 'Gwen Harbour', password: '' })).status, 422);
    app.clock.advance(7 * dayMs - 1);
    assert.equal((await browse().submit(path, { name: 'Gwen Harbour', password: newPassword })).status, 303);
    assert.equal(await canSignIn(email, newPassword), true);
    const { body } = await app.admin.expect(200, 'getUser', { params: { id: email } });
    assert.equal((body as { user: { name: string } }).user.name, 'Gwen Harbour');
    assert.notEqual((await browse().submit(path, { name: 'Eve', password: oldPassword })).status, 303);
    const late = await invite();
    app.clock.advance(7 * dayMs);
    assert.notEqual((await browse().submit(late.path, { name: 'Late', password: newPassword })).status, 303);
    assert.equal(await canSignIn(late.email, newPassword), false);
  });
});
