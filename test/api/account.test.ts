// The account answer.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine, type TestApp } from '#test/kit/app.ts';

onEachEngine('GET /account', (start) => {
  let app: TestApp;
  before(async () => {
    app = await start();
  });
  after(() => app.close());

  test('without a key it is refused with 401 and the error body', async () => {
    await app.anonymous.refused(401, 'credentials.invalid', 'getAccount');
  });

  test('tells who the caller is and what their group decides', async () => {
    const alice = await app.person('alice');
    const { body } = await alice.expect(200, 'getAccount');
    const { user } = body as { user: Record<string, unknown> };
    assert.equal(user.email, 'alice@example.com');
    assert.equal(user.group_id, 'local-users');
    assert.equal(user.filelink_max_expiration, 180);
  });
});
