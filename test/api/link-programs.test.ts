// Programs without cookies open links with a password, and links and messages for people who confirm their address.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '#test/kit/app.ts';
import { codeIn, openMailbox } from '#test/kit/mailbox.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { rawRequest } from '#test/kit/raw-requests.ts';
import { share } from '#test/kit/shared-files.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

onEachDatabase('a program at a link', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  const alice = usePerson(app, 'alice');

  const post = (linkId: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    postTo(`/link/${linkId}/download`, fields, headers);
  const postTo = async (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const {
      status,
      text,
      headers: answered,
    } = await rawRequest(app.url + path, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    });
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, string>);
    return { status, body, code: body.code, location: answered.location };
  };

  test('gets the file with the password, and a refusal that counts without it', async () => {
    const { linkId } = await share(alice, { bytes: 'secret', link: { password: 'a quiet harbour' } });
    assert.equal((await post(linkId, {})).code, 'link.needs_password');
    const wrong = await post(linkId, { password: 'a loud harbour' });
    assert.deepEqual([wrong.status, wrong.code], [403, 'link.wrong_password']);
    assert.match(String(wrong.body.errors), /not the password of this link\. You can try \d+ more times\./);
    const right = await post(linkId, { password: 'a quiet harbour' });
    assert.equal(right.status, 303);
    assert.match(right.location!, /\/dl\//);
    for (let attempt = 0; attempt < 20; attempt += 1) await post(linkId, { password: `guess ${attempt}` });
    assert.equal((await post(linkId, { password: 'a quiet harbour' })).status, 429);
  });

  test('gets the file after a code has confirmed an address', async () => {
    const { linkId } = await share(alice, { bytes: 'for people', link: { require_authentication: true } });
    assert.equal((await post(linkId, {})).code, 'link.needs_address');
    assert.equal((await post(linkId, { address: 'nobody' })).status, 422);
    const { status, body } = await post(linkId, { address: 'dora@outside.example' });
    assert.equal(status, 202);
    const nonce = body.nonce!;
    assert.equal((await post(linkId, { nonce, code: 'AAAA-AAAA' })).code, 'code.wrong');
    const [mail] = await mailbox.postTo(app, 'dora@outside.example');
    const code = codeIn(mail!);
    assert.equal((await post(linkId, { nonce: 'B'.repeat(44), code })).code, 'code.elsewhere');
    const proven = await post(linkId, { nonce, code });
    assert.equal(proven.status, 200);
    assert.equal((await post(linkId, { proof: proven.body.proof! })).status, 303);
    assert.equal((await post(linkId, { nonce, code })).code, 'code.used');
    assert.equal((await post(linkId, { proof: 'C'.repeat(22) })).code, 'link.needs_address');
  });

  test('of another origin is refused', async () => {
    const { linkId } = await share(alice, { bytes: 'secret', link: { password: 'a quiet harbour' } });
    const refused = await post(linkId, { password: 'a quiet harbour' }, { origin: 'https://attacker.example' });
    assert.deepEqual([refused.status, refused.code], [403, 'request.foreign_form']);
  });

  const shared = (address: string) =>
    sendMessage(alice, { recipients: [address], authorization: 3, attachments: [inlineFile('plan.txt', 'the plan')] });

  /** An address that a code has confirmed at the message. */
  const prove = async (id: string, address: string) => {
    const { body } = await postTo(`/message/${id}/files`, { address });
    const [mail] = await mailbox.postTo(app, address);
    const proven = await postTo(`/message/${id}/files`, { nonce: body.nonce!, code: codeIn(mail!) });
    assert.equal(proven.status, 200);
    return proven.body.proof!;
  };

  test('lists and gets the files of a message after a code has confirmed an address', async () => {
    const { id } = await shared('eva@outside.example');
    const files = `/message/${id}/files`;
    const asked = await postTo(files, {});
    assert.deepEqual([asked.status, asked.code], [403, 'message.needs_address']);
    assert.equal((await postTo(files, { address: 'nobody' })).status, 422);
    const proof = await prove(id, 'eva@outside.example');
    const listed = await postTo(files, { proof });
    const [file] = listed.body.files as unknown as Record<string, string>[];
    assert.deepEqual([listed.status, file!.state], [200, 'ready']);
    const download = `/message/${id}/download/${file!.id}`;
    assert.equal((await postTo(download, {})).code, 'message.needs_address');
    const ticket = await postTo(download, { proof });
    assert.equal(ticket.status, 303);
    assert.match(ticket.location!, /\/dl\//);
    assert.equal((await postTo(`/message/${id}/download/${'A'.repeat(22)}`, { proof })).code, 'download.gone');
  });

  test('gets nothing for another address, and no code for an address that the message was not sent to', async () => {
    const { id } = await shared('finn@outside.example');
    const { id: other } = await shared('gus@outside.example');
    const asked = await postTo(`/message/${id}/files`, { address: 'gus@outside.example' });
    assert.equal(asked.status, 202);
    const mails = await mailbox.postTo(app, 'gus@outside.example');
    assert.ok(mails.every(({ kind }) => kind !== 'code'));
    const proof = await prove(other, 'gus@outside.example');
    const refused = await postTo(`/message/${id}/files`, { proof });
    assert.deepEqual([refused.status, refused.code], [403, 'message.not_for_address']);
    assert.equal((await postTo(`/message/${'A'.repeat(22)}/files`, { proof })).status, 404);
    await alice.expect(200, 'revokeMessage', { params: { id } });
    assert.equal((await postTo(`/message/${id}/files`, { proof })).status, 410);
  });
});
