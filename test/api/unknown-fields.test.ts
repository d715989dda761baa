import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { onOneEngine } from '#test/kit/app.ts';
import { type ApiClient, assertRefused } from '#test/kit/client.ts';
import { inlineFile, tracesOf } from '#test/kit/messages.ts';
import { idOf } from '#test/kit/shared-files.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const ben = 'ben@harbour.example';

onOneEngine('Input outside of the contract', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const alice = usePerson(app, 'alice');
  let attachment: string;
  before(async () => {
    attachment = (await alice.upload('report.txt', 'hello')).id;
  });

  async function leavesNothing(refusals: () => Promise<unknown>): Promise<void> {
    const before = await tracesOf(app);
    await refusals();
    assert.deepEqual(await tracesOf(app), before);
  }

  const post = (path: string, body: string, client: ApiClient = alice, method = 'POST') =>
    client.fetch(path, {
      method,
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body,
    });

  describe('a dry run at the wrong place', () => {
    const message = { recipients: [ben], subject: 'Plans', attachments: [inlineFile('a.txt', 'hello')] };
    const request = { recipient: ben, subject: 'Please' };

    test('at the top of the body or in the query creates no message, link or request', async () => {
      const link = { attachment };
      const misplaced = 'request.misplaced_dry_run';
      await leavesNothing(async () => {
        await alice.refused(422, misplaced, 'sendMessage', { body: { message, dry_run: true } });
        await alice.refused(422, misplaced, 'createFileLink', { body: { link, dry_run: true } });
        await alice.refused(422, misplaced, 'createFileRequest', { body: { request, dry_run: true } });
        const query = { dry_run: 'true' };
        await alice.refused(422, misplaced, 'sendMessage', { query, body: { message } });
        await alice.refused(422, misplaced, 'createFileLink', { query, body: { link } });
        await alice.refused(422, misplaced, 'createFileRequest', { query, body: { request } });
      });
    });

    test('stores no upload, deletes no link and changes no person', async () => {
      const { body } = await alice.expect(200, 'createFileLink', { body: { link: { attachment } } });
      const { id } = (body as { link: { id: string } }).link;
      const none = 'request.no_dry_run';
      const query = { dry_run: '1' };
      await leavesNothing(async () => {
        const upload = { query: { ...query, filename: 'b.txt' }, bytes: 'hello' };
        await alice.refused(422, none, 'uploadForLink', upload);
        await alice.refused(422, none, 'deleteFileLink', { params: { id }, query });
        await alice.refused(422, none, 'deleteFileLink', { params: { id }, body: { dry_run: true } });
        await app.admin.refused(422, none, 'deleteUser', { params: { id: idOf(alice) }, query });
        await app.admin.refused(422, none, 'deleteUser', { params: { id: idOf(alice) }, body: { dry_run: true } });
      });
      await alice.expect(200, 'getFileLink', { params: { id } });
    });

    test('is refused only after the caller was authenticated', async () => {
      await app.anonymous.refused(401, 'credentials.invalid', 'createFileRequest', {
        body: { request, dry_run: true },
      });
    });
  });

  describe('a key that comes twice', () => {
    const twice = 'request.duplicate_key';

    test('is refused by name in a body that is read whole', async () => {
      await leavesNothing(async () => {
        for (const body of [
          `{"request":{"recipient":"${ben}","recipient":"eve@harbour.example"}}`,
          `{"request":{"recipient":"${ben}","\\u0072ecipient":"eve@harbour.example"}}`,
        ]) {
          const reply = assertRefused(await post('/requests', body), 422, twice);
          assert.equal((reply.body as { field: string }).field, 'recipient');
        }
        assertRefused(await post('/requests', '{"request":{},"request":{}}'), 422, twice);
      });
    });

    for (const [size, data] of [
      ['small', 'eA=='],
      ['streamed', Buffer.alloc(60_000).toString('base64')],
    ] as const)
      test(`is refused in a ${size} message with files inside, whose bytes are erased again`, async () => {
        const file = `{"filename":"a.txt","data":"${data}"}`;
        const withMessage = (fields: string) => `{"message":{"recipients":["${ben}"],${fields}}}`;
        await leavesNothing(async () => {
          for (const body of [
            withMessage(`"attachments":[{"filename":"a.txt","data":"${data}","data":"eQ=="}]`),
            withMessage(`"attachments":[{"filename":"a.txt","d\\u0061ta":"eQ==","data":"${data}"}]`),
            withMessage(`"attachments":[${file}],"attachments":[]`),
            withMessage(`"attachments":[${file}],"recipi\\u0065nts":["eve@harbour.example"]`),
            `{"message":{"attachments":[${file}]},"message":{"recipients":["${ben}"]}}`,
          ])
            assertRefused(await post('/message', body), 422, twice);
        });
      });

    test('is refused at any depth, in objects and in lists, before the call reads the body', async () => {
      const inside = (depth: number, list: boolean) => {
        const pair = '{"a":1,"a":2}';
        return Array.from({ length: depth }).reduce<string>((inner) => (list ? `[${inner}]` : `{"b":${inner}}`), pair);
      };
      await leavesNothing(async () => {
        for (const depth of [1, 2, 7, 25])
          for (const list of [false, true]) {
            const body = `{"user":{"name":${inside(depth, list)}}}`;
            assertRefused(await post('/requests', body), 422, twice);
            assertRefused(await post(`/admin/users/${idOf(alice)}`, body, app.admin, 'PUT'), 422, twice);
            const streamed = `{"message":{"recipients":["${ben}"],"attachments":[{"data":"eA=="},${inside(depth, list)}]}}`;
            assertRefused(await post('/message', streamed), 422, twice);
          }
      });
    });

    test('is accepted for equal keys of different objects', async () => {
      const attachments = [inlineFile('a.txt', 'hello'), inlineFile('b.txt', 'hello')];
      await alice.expect(200, 'sendMessage', { body: { message: { recipients: [ben], attachments } } });
    });
  });

  describe('a field that does not exist', () => {
    test('is refused by the calls for administrators and by those of the app, and nothing changes', async () => {
      const id = idOf(alice);
      await leavesNothing(async () => {
        const { body } = await app.admin.refused(422, 'request.unknown_field', 'changeUser', {
          params: { id },
          body: { user: { name: 'Alice Field', disable: true, max_file_size: 5 } },
        });
        assert.deepEqual((body as { errors: string[] }).errors, [
          'There is no field “user.disable” here. Nothing was done.',
          'There is no field “user.max_file_size” here.',
        ]);
        assert.equal((body as { field: string }).field, 'disable');
        await alice.refused(422, 'request.unknown_field', 'changeNotices', { body: { notice: {} } });
      });
      const { body } = await app.admin.expect(200, 'getUser', { params: { id } });
      assert.equal((body as { user: { name: string } }).user.name, 'alice');
    });

    test('is refused by a call without fields, which accepts an empty object', async () => {
      const fields = { body: { reason: 'They left' } };
      await app.admin.refused(422, 'request.unknown_field', 'deleteUser', { params: { id: idOf(alice) }, ...fields });
      await app.admin.refused(422, 'request.bad_json', 'deleteUser', {
        params: { id: idOf(alice) },
        bytes: '{"reason":',
        headers: { 'content-type': 'application/json' },
      });
      await alice.expect(200, 'getAccount');
      await app.admin.expect(200, 'checkFiles', { body: {} });
    });

    test('is ignored by the calls of existing clients', async () => {
      const message = { recipients: [ben], subject: 'Plans', scheduled_at: '2030-01-01', bccs: [] };
      await alice.expect(200, 'sendMessage', { body: { message, api_version: '4.3' } });
      const link = { attachment, custom_url: 'report', view_only: false };
      const { body } = await alice.expect(200, 'createFileLink', { body: { link } });
      const { id } = (body as { link: { id: string } }).link;
      await alice.expect(200, 'getAccountByPost', { body: { user: {} } });
      await alice.expect(200, 'getAccountByPost', { bytes: 'a=b', headers: { 'content-type': 'text/plain' } });
      await alice.expect(200, 'deleteFileLink', { params: { id }, body: { link: { id } } });
    });
  });
});
