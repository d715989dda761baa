import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isStillAllowed } from '#server/actions/downloads/downloads.ts';
import { issueTicket, openOwnTicket } from '#server/actions/downloads/tickets.ts';
import { findMessageAccess } from '#server/actions/messages/access.ts';
import { readInbox, readSent } from '#server/actions/messages/lists.ts';
import { onEachDatabase, type TestApp, testOnce } from '#test/kit/app.ts';
import { callerFor } from '#test/kit/callers.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { inlineFile, newPerson, readMessage, sendMessage } from '#test/kit/messages.ts';
import { queriesOf } from '#test/kit/queries.ts';

const ben = 'ben@harbour.example';

onEachDatabase('The database is queried for messages', (start) => {
  let app: TestApp;
  let alice: ApiClient;
  let bob: ApiClient;
  before(async () => {
    // Without jobs, whose queries would be counted too.
    app = await start({ environment: { WAYBILL_ROLE: 'web' } });
    alice = await newPerson(app, 'alice');
    bob = await newPerson(app, 'bob');
  });
  after(() => app.close());

  const send = (more: Record<string, unknown> = {}) =>
    sendMessage(alice, {
      recipients: [bob.email, ben],
      attachments: [inlineFile('plan.bin', Buffer.from('a plan'))],
      authorization: 3,
      ...more,
    });

  async function drain(pages: AsyncGenerator<unknown[]>): Promise<number> {
    let count = 0;
    for await (const page of pages) count += page.length;
    return count;
  }

  testOnce('as often for a list of many as for a list of two', async () => {
    const { ctx } = app.app;
    const [sender, reader] = [await callerFor(app, alice), await callerFor(app, bob)];
    const all = { after: null, limit: 20 };
    const lists = [() => drain(readSent(ctx, sender, all)), () => drain(readInbox(ctx, reader, all))];
    for (const count of [2, 8]) while ((await lists[0]!()) < count) await send();
    for (const list of lists) {
      const many = await queriesOf(app, list);
      const few = await queriesOf(app, () => drain(readSent(ctx, sender, { after: null, limit: 2 })));
      assert.ok(many.length <= few.length + 2, many.join('\n'));
    }
  });

  test('once for the recipients of a message', async () => {
    const { id } = await send();
    const identity = { provenAddresses: [ben], account: null };
    const asked = await queriesOf(app, () => findMessageAccess(app.app.ctx, id, identity, null));
    assert.equal(asked.filter((statement) => statement.includes('from "message_recipients"')).length, 1);
  });

  test('once for each check of a running download', async () => {
    const { ctx } = app.app;
    const { id } = await send();
    const caller = await callerFor(app, alice);
    const { ticket } = await issueTicket(ctx, {
      attachmentId: (await readMessage(alice, id)).attachments[0]!.id,
      ownerId: caller.userId,
      linkId: null,
      messageId: id,
      recipient: ben,
      identity: ben,
      accountId: null,
      kind: 'visitor',
      expiresAt: ctx.clock.now() + 86_400_000,
    });
    const delivery = await openOwnTicket(ctx, caller, ticket);
    const now = ctx.clock.now();
    const grant = {
      delivery,
      caller,
      number: 1,
      request: 1,
      range: { start: 0, end: 1 },
      startedAt: now,
      grantedAt: now,
      servedBy: '',
      recorded: { upTo: 0, at: now },
    };
    let isAllowed = false;
    const asked = await queriesOf(app, async () => {
      isAllowed = await isStillAllowed(ctx, grant);
    });
    assert.equal(isAllowed, true);
    assert.equal(asked.length, 1);
  });
});
