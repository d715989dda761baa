import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertUploaderReceipt } from '#server/db/receipts/uploader-receipts.ts';
import type { UploaderReceipt } from '#server/domain/submissions.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { Browser, type PageReply } from '#test/kit/browser.ts';
import { useApp } from '#test/kit/use-app.ts';

onOneEngine('The page of a delivery', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });

  async function pageOf(more: Partial<UploaderReceipt> = {}, lastsMs = 1): Promise<PageReply> {
    const { ctx } = app.app;
    const receipt: UploaderReceipt = {
      id: ctx.random.id(),
      receiver: { name: '', email: 'root@example.com' },
      reference: 'R-1',
      deliveredAt: ctx.clock.now(),
      files: [{ name: 'plan.txt', sizeBytes: 2048, sha256: 'ab'.repeat(32) }],
      place: { is: 'filedrop', name: 'quay' },
      mailedTo: null,
      ...more,
    };
    const kept = { receipt, ownerId: await ownerId(), submissionHash: ctx.random.bytes(32) };
    await ctx.db.write((tx) => insertUploaderReceipt(tx, { ...kept, expiresAt: ctx.clock.now() + lastsMs }));
    return new Browser(app.url).get(`/delivered/${receipt.id}`);
  }
  const ownerId = async () => (await app.app.ctx.db.read.selectFrom('users').select('id').executeTakeFirstOrThrow()).id;

  test('exists as long as the receipt', async () => {
    assert.equal((await pageOf()).status, 200);
    assert.equal((await pageOf({}, 0)).status, 404);
    assert.equal((await new Browser(app.url).get(`/delivered/${'A'.repeat(22)}`)).status, 404);
  });

  test('links back to where more can be handed in, and to no closed request', async () => {
    const leads = async (place: UploaderReceipt['place']) => (await pageOf({ place })).text;
    assert.match(await leads({ is: 'filedrop', name: 'quay side' }), /href="[^"]*\/filedrop\/quay%20side"/);
    assert.match(await leads({ is: 'request', id: 'again', isReusable: true }), /href="[^"]*\/requests\/again"/);
    assert.doesNotMatch(await leads({ is: 'request', id: 'once', isReusable: false }), /\/requests\/once/);
  });

  test('shows the owner, the files, and where a receipt was sent', async () => {
    const plain = await pageOf();
    for (const word of ['root@example.com', 'plan.txt', '2 KB', 'ab'.repeat(32), 'R-1'])
      assert.ok(plain.text.includes(word), word);
    assert.doesNotMatch(plain.text, /sam@elsewhere\.example/);
    const named = await pageOf({
      receiver: { name: 'Rita Root', email: 'root@example.com' },
      files: [{ name: 'plan.txt', sizeBytes: 2048, sha256: '' }],
      mailedTo: 'sam@elsewhere.example',
    });
    assert.match(named.text, /Rita Root/);
    assert.match(named.text, /sam@elsewhere\.example/);
    assert.doesNotMatch(named.text, /root@example\.com|SHA-256/);
  });
});
