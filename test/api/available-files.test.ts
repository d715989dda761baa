// A file that may not leave is refused on every path to its bytes, with the same code.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createReceivedTicket, getReceived } from '#server/actions/received/received.ts';
import type { AttachmentState } from '#server/domain/attachments.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { callerFor } from '#test/kit/callers.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { clickDownload } from '#test/kit/downloads.ts';
import { browserProving, fileUrlOf, inlineFile, readMessage, sendMessage } from '#test/kit/messages.ts';
import { rawRequest } from '#test/kit/raw-requests.ts';
import { newPerson, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

interface Sent {
  id: string;
  /** The first file is the one that changes. */
  files: string[];
}

interface Situation {
  name: string;
  change(sent: Sent): Promise<unknown>;
  /** What every path answers that leads to the file; null if it may leave. */
  code: string | null;
  /** Answered in place of it where the file or the message is not shown any more. */
  hidden?: string;
  /** State in the list of the recipient; null if it is not listed. */
  listed: 'ready' | 'checking' | 'used_up' | 'removed' | null;
  /** The uploader may have it. */
  owner?: null;
  /** The reason concerns the whole message, which the API then hides from recipients. */
  isOfMessage?: true;
}

onEachDatabase('A file that may not leave', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  let ben: ApiClient;
  let people = 0;

  const table = (name: 'attachments' | 'messages' | 'users', id: string, values: Record<string, unknown>) =>
    app.app.ctx.db.write((tx) =>
      tx
        .updateTable(name)
        .set(values as never)
        .where('id', '=', id)
        .execute(),
    );
  const state =
    (to: AttachmentState) =>
    ({ files }: Sent) =>
      table('attachments', files[0]!, { state: to });

  const situations: Situation[] = [
    { name: 'ready', change: async () => {}, code: null, listed: 'ready' },
    { name: 'being checked', change: state('sealing'), code: 'download.not_ready', listed: 'checking' },
    { name: 'damaged', change: state('damaged'), code: 'download.gone', listed: 'removed' },
    { name: 'failed', change: state('failed'), code: 'download.gone', listed: 'removed' },
    { name: 'erased', change: state('erased'), code: 'download.gone', listed: 'removed' },
    {
      name: 'waiting for the virus scanner',
      change: ({ files }) => table('attachments', files[0]!, { scan_state: 'waiting' }),
      code: 'download.not_ready',
      listed: 'checking',
      owner: null,
    },
    {
      name: 'held in quarantine',
      change: ({ files }) => table('attachments', files[0]!, { scan_state: 'held' }),
      code: 'download.gone',
      hidden: 'file.not_found',
      listed: null,
      owner: null,
    },
    {
      name: 'removed from its message',
      change: ({ id, files }) => alice.expect(200, 'removeMessageFile', { params: { id, file: files[0]! }, body: {} }),
      code: 'download.gone',
      hidden: 'file.not_found',
      listed: null,
    },
    {
      name: 'used up',
      change: async ({ id, files }) => {
        await table('messages', id, { download_limit: 1 });
        const { ticket } = await createReceivedTicket(app.app.ctx, await callerFor(app, ben), id, files[0]!);
        assert.equal(await fetchTicket(ticket), null);
      },
      code: 'download.limit_reached',
      listed: 'used_up',
      owner: null,
    },
    {
      name: 'of an expired message',
      change: ({ id }) => table('messages', id, { expires_at: app.clock.now() }),
      code: 'message.expired',
      hidden: 'message.expired',
      listed: 'removed',
      isOfMessage: true,
    },
    {
      name: 'of a withdrawn message',
      change: ({ id }) => alice.expect(200, 'revokeMessage', { params: { id }, body: {} }),
      code: 'download.gone',
      hidden: 'message.not_found',
      listed: null,
      isOfMessage: true,
    },
    {
      name: 'of a disabled person',
      change: async () => table('users', (await callerFor(app, alice)).userId, { state: 'disabled' }),
      code: 'download.gone',
      hidden: 'message.not_found',
      listed: null,
      isOfMessage: true,
    },
  ];

  before(async () => {
    ben = await newPerson(app, 'ben');
  });

  const codeOf = (text: string) => /"code":"([^"]+)"/.exec(text)?.[1] ?? null;

  /** The code of the refusal; null for bytes. */
  async function fetchAs(path: string, client: ApiClient): Promise<string | null> {
    const authorization = `Bearer ${client.key}`;
    const reply = await rawRequest(`${app.url}${path}`, { headers: { accept: 'application/json', authorization } });
    assert.equal(reply.status === 200, codeOf(reply.text) === null, reply.text.slice(0, 200));
    return codeOf(reply.text);
  }
  const fetchTicket = (ticket: string) => fetchAs(`/dl/${ticket}/file`, ben);

  async function newTicket({ id }: Sent, fileId: string): Promise<string> {
    return (await createReceivedTicket(app.app.ctx, await callerFor(app, ben), id, fileId)).ticket;
  }

  async function send(): Promise<Sent> {
    alice = await newPerson(app, `alice${++people}`);
    const attachments = [inlineFile('a.txt', 'first file'), inlineFile('b.txt', 'second file')];
    const { id } = await sendMessage(alice, { recipients: [ben.email], attachments, authorization: 3 });
    return { id, files: (await readMessage(alice, id)).attachments.map((file) => file.id) };
  }

  const refusalOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => (error as { code?: string }).code ?? String(error),
    );

  /** Whether the button on the page leads to a ticket. */
  async function leadsToTicket(sent: Sent, path: string): Promise<boolean> {
    const browser = await browserProving(app, ben.email);
    const { location } = await browser.post(`/message/${sent.id}/download${path}`);
    return location?.includes('/dl/') ?? false;
  }

  for (const situation of situations) {
    const { name, code, listed, isOfMessage = false, hidden = code } = situation;
    test(`is refused for the same reason everywhere: ${name}`, async () => {
      const sent = await send();
      const [file] = sent.files as [string];
      const tickets = { single: await newTicket(sent, file), archive: await newTicket(sent, 'all') };
      const paths = { owner: await fileUrlOf(alice, sent.id), recipient: await fileUrlOf(ben, sent.id) };
      await situation.change(sent);

      assert.equal(await fetchTicket(tickets.single), code, 'a ticket from before');
      assert.equal(await fetchTicket(tickets.archive), code, 'an archive ticket from before');
      assert.equal(await refusalOf(newTicket(sent, file)), hidden, 'a new ticket');

      const isRemoved = hidden === 'file.not_found' && situation.owner === undefined;
      const isOwnerActive = name !== 'of a disabled person';
      const ofOwner = situation.owner === undefined ? code : situation.owner;
      if (isOwnerActive) {
        assert.equal(await fetchAs(paths.owner, alice), isRemoved ? hidden : ofOwner, 'by the key of the owner');
      }
      assert.equal(
        await fetchAs(paths.recipient, ben),
        isOfMessage || isRemoved ? 'file.not_found' : code,
        'by the key of the recipient',
      );
      for (const path of Object.values(paths))
        assert.equal(await fetchAs(path, app.admin), 'file.not_found', 'by the key of an administrator');

      const detail = await getReceived(app.app.ctx, await callerFor(app, ben), sent.id).catch(() => null);
      const shown = detail?.files.find(({ attachmentId }) => attachmentId === file);
      assert.equal(shown?.state ?? null, listed, 'in the list of the recipient');
      if (isOwnerActive) {
        const answer = (await readMessage(alice, sent.id)).attachments.find(({ id }) => id === file);
        assert.equal(answer?.available ?? false, listed === 'ready' || listed === 'used_up', 'the flag of the API');
      }
      assert.equal(await leadsToTicket(sent, `/${file}`), code === null, 'the button of the file');
      assert.equal(await leadsToTicket(sent, ''), !isOfMessage, 'the button of the archive');
      const archive = async () => fetchTicket(await newTicket(sent, 'all'));
      if (isOfMessage) assert.equal(await refusalOf(archive()), hidden, 'a new archive');
      else assert.equal(await archive(), null, 'a new archive leaves the file out');
    });
  }

  const ofLink: {
    name: string;
    change(link: { linkId: string; attachmentId: string }): Promise<unknown>;
    code: string | null;
  }[] = [
    { name: 'ready', change: async () => {}, code: null },
    ...(['sealing', 'damaged', 'failed', 'erased'] as const).map((to) => ({
      name: to,
      change: ({ attachmentId }: { attachmentId: string }) => table('attachments', attachmentId, { state: to }),
      code: to === 'sealing' ? 'link.not_ready' : 'link.ended',
    })),
    ...(['waiting', 'held'] as const).map((to) => ({
      name: to,
      change: ({ attachmentId }: { attachmentId: string }) => table('attachments', attachmentId, { scan_state: to }),
      code: to === 'waiting' ? 'link.not_ready' : 'link.ended',
    })),
    {
      name: 'expired',
      change: ({ linkId }) =>
        app.app.ctx.db.write((tx) =>
          tx.updateTable('file_links').set({ expires_at: app.clock.now() }).where('id', '=', linkId).execute(),
        ),
      code: 'link.ended',
    },
    {
      name: 'deleted',
      change: ({ linkId }) => alice.expect(200, 'deleteFileLink', { params: { id: linkId } }),
      code: 'link.ended',
    },
  ];

  for (const { name, change, code } of ofLink)
    test(`is refused for the same reason at a link: ${name}`, async () => {
      alice = await newPerson(app, `alice${++people}`);
      const shared = await share(alice, { bytes: 'open to all' });
      const ticket = (await clickDownload(app.url, shared.linkId)).path!;
      await change(shared);
      const anonymous = (path: string, method: 'GET' | 'POST') =>
        rawRequest(`${app.url}${path}`, { method, headers: { accept: 'application/json' } });
      assert.equal(codeOf((await anonymous(ticket, 'GET')).text), code, 'a ticket from before');
      assert.equal(codeOf((await anonymous(`/link/${shared.linkId}/download`, 'POST')).text), code, 'a program');
      assert.equal(
        (await clickDownload(app.url, shared.linkId)).path !== null,
        code === null,
        'the button of the page',
      );
    });
});
