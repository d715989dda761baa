import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Endpoint, type EndpointName, endpoints } from '#contract/endpoints.ts';
import { readOnlyFields } from '#server/http/transport/read-only-fields.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { tracesOf } from '#test/kit/messages.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

type Fields = Record<string, unknown>;

const catalogue = Object.entries(endpoints) as [EndpointName, Endpoint][];

/** Every PUT of a path that can be read, if the body has the form of the answer. */
const pairs = catalogue.flatMap(([change, changing]) => {
  const read = catalogue.find(([, { method, path }]) => method === 'GET' && path === changing.path);
  // Mail settings are saved only after a message to a real server (mail-settings.test.ts).
  if (changing.method !== 'PUT' || read === undefined || change === 'changeMailSettings') return [];
  const readOnly = readOnlyFields(changing, read[1]);
  return [...readOnly].map(([place, names]) => ({ change, read: read[0], place, names, path: changing.path }));
});

const writable: Record<string, Fields> = {
  user: { name: 'Alice Field' },
  sign_in_service: { name: 'Northlight' },
  scim: { service: 'northlight' },
  filedrop: { title: 'Newsroom' },
  group: { name: 'Team of two', menubar_title: 'Team' },
  webhook: { format: 'slack' },
  mail_template: { subject: 'Files for you' },
  security: {},
  branding: { page_footer: 'Harbour Office' },
};

const unknownFieldCodes: Record<string, string> = {
  group: 'group.unknown_setting',
  sign_in_service: 'sign_in_service.bad_field',
};

onEachDatabase('A PUT of what was read', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web', WAYBILL_WEBHOOK_NETWORKS: 'loopback' } });
  usePerson(app, 'alice');
  const params: Record<string, Record<string, string>> = {
    '/admin/users/:id': { id: 'alice-example-com' },
    '/admin/mail_templates/:kind': { kind: 'message' },
  };
  before(async () => {
    params['/admin/groups/:id'] = { id: await app.group('Team', {}) };
    const filedrop = { name: 'press', title: 'Press', receivers: ['alice@example.com'] };
    const { body } = await app.admin.expect(200, 'createSystemDrop', { body: { filedrop } });
    params['/admin/filedrops/:id'] = { id: (body as { filedrop: { id: string } }).filedrop.id };
    const service = {
      id: 'northlight',
      kind: 'oidc',
      name: 'Northlight ID',
      issuer: 'https://id.example',
      client_id: 'a',
    };
    await app.admin.expect(200, 'createSignInService', { body: { sign_in_service: service as never } });
    params['/admin/sign_in_services/:id'] = { id: service.id };
    const { body: made } = await app.admin.expect(200, 'createWebhook', {
      body: { webhook: { url: 'http://127.0.0.1:9/events' } },
    });
    params['/admin/webhooks/:id'] = { id: (made as { webhook: { id: string } }).webhook.id };
  });

  async function readAt({ read, path, place }: (typeof pairs)[number]): Promise<Fields> {
    const { body } = await app.admin.expect(200, read, { params: params[path] ?? {} });
    const fields = { ...(body as Record<string, Fields>)[place]! };
    // Read as people, written as ids or addresses.
    if (place === 'filedrop') delete fields.receivers;
    return fields;
  }

  test('is possible for people, sign-in services, SCIM, drop pages, groups, webhooks, mail templates, networks and branding', () => {
    assert.deepEqual(
      pairs.map(({ place, names }) => [place, names.length]),
      [
        ['user', 10],
        ['sign_in_service', 4],
        ['scim', 4],
        ['filedrop', 7],
        ['group', 5],
        ['webhook', 11],
        ['mail_template', 5],
        ['security', 1],
        ['branding', 3],
      ],
    );
  });

  for (const pair of pairs) {
    const { change, place, names, path } = pair;

    test(`to ${path} accepts all that was read, with one field changed or none`, async () => {
      const fields = await readAt(pair);
      for (const name of names) assert.ok(Object.hasOwn(fields, name), name);
      for (const changed of [{}, writable[place]])
        await app.admin.expect(200, change, {
          params: params[path] ?? {},
          body: { [place]: { ...fields, ...changed } },
        });
      for (const [name, value] of Object.entries(writable[place]!)) assert.equal((await readAt(pair))[name], value);
    });

    test(`to ${path} refuses each read-only field that differs, by its name, and changes nothing`, async () => {
      const fields = await readAt(pair);
      const before = await tracesOf(app);
      for (const name of names) {
        const changed = { ...fields, [name]: [fields[name], 'changed'] };
        const { body } = await app.admin.refused(422, 'request.read_only_field', change, {
          params: params[path] ?? {},
          body: { [place]: changed },
        });
        const { errors, field } = body as { errors: string[]; field: string };
        assert.deepEqual(errors, [`The field “${place}.${name}” can’t be changed here. Nothing was done.`]);
        assert.equal(field, name);
      }
      const twoChanged = { ...fields, ...Object.fromEntries(names.map((name) => [name, 'changed'])) };
      const { body } = await app.admin.refused(422, 'request.read_only_field', change, {
        params: params[path] ?? {},
        body: { [place]: twoChanged },
      });
      assert.equal((body as { errors: string[] }).errors.length, names.length);
      assert.deepEqual(await tracesOf(app), before);
      assert.deepEqual(await readAt(pair), fields);
    });

    test(`to ${path} refuses unknown fields besides those that were read, at the top and inside`, async () => {
      const fields = await readAt(pair);
      const options = { params: params[path] ?? {} };
      await app.admin.refused(422, 'request.unknown_field', change, {
        ...options,
        body: { [place]: fields, surprise: 1 },
      });
      const code = unknownFieldCodes[place] ?? 'request.unknown_field';
      const { body } = await app.admin.refused(422, code, change, {
        ...options,
        body: { [place]: { ...fields, surprise: { more: 1 } } },
      });
      assert.equal((body as { field: string }).field, 'surprise');
      assert.deepEqual(await readAt(pair), fields);
    });
  }

  test('has no read-only fields where something is added: they are refused by name', async () => {
    const id = 'x';
    const user = { email: 'carl@example.com', id };
    await app.admin.refused(422, 'request.unknown_field', 'createUser', { body: { user } });
    await app.admin.refused(422, 'group.unknown_setting', 'createGroup', { body: { group: { name: 'Other', id } } });
    const filedrop = { name: 'other', title: 'Other', receivers: ['alice@example.com'], id };
    await app.admin.refused(422, 'request.unknown_field', 'createSystemDrop', { body: { filedrop } });
  });

  test('is refused as unknown for what does not exist', async () => {
    await app.admin.refused(404, 'user.not_found', 'changeUser', {
      params: { id: 'unknown' },
      body: { user: { id: 'a' } },
    });
  });
});
