// Programs without cookies open links with a password and links for people who confirm their address.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '#test/kit/app.ts';
import { codeIn, openMailbox } from '#test/kit/mailbox.ts';
import { rawRequest } from '#test/kit/raw-requests.ts';
import { share } from '#test/kit/shared-files.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

onEachDatabase('a program at a link', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  const alice = usePerson(app, 'alice');

  const post = async (linkId: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const {
      status,
      text,
      headers: answered,
    } = await rawRequest(`${app.url}/link/${linkId}/download`, {
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
});
