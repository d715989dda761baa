import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wireShape } from '#contract/codec.ts';
import { type Endpoint, type EndpointName, endpoints } from '#contract/endpoints.ts';
import { onOneEngine } from '#test/kit/app.ts';
import type { CallOptions, Reply } from '#test/kit/client.ts';
import { useApp } from '#test/kit/use-app.ts';

const catalogue = Object.entries(endpoints) as [EndpointName, Endpoint][];
const changing = catalogue.filter(([, { method }]) => method !== 'GET');

const asked: [way: string, options: CallOptions][] = [
  ['in the query', { query: { dry_run: 'true' } }],
  ['in the query, spelled another way', { query: { 'message[dryRun]': '1' } }],
  ['in a header', { headers: { 'dry-run': 'true' } }],
  ['in a header of another name', { headers: { 'x-waybill-dryrun': '1' } }],
  ['as a preference', { headers: { prefer: 'respond-async, dry-run' } }],
];
const inBody: [way: string, body: unknown][] = [
  ['at the top of the body', { dry_run: true }],
  ['at the top of the body, spelled another way', { 'DRY-RUN': 'yes' }],
  ['deep inside a field that no call has', { options: { more: [{ dryRun: false }] } }],
];

onOneEngine('A dry run of a call without one', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });

  /** Calls as the System Administrator, with ids that do not exist: no call gets so far as to search for them. */
  function call(name: EndpointName, definition: Endpoint, options: CallOptions): Promise<Reply> {
    const names = definition.path.match(/(?<=:)\w+/g) ?? [];
    return app.admin.send(name, {
      ...options,
      params: Object.fromEntries(names.map((each) => [each, 'A'.repeat(22)])),
    });
  }

  for (const [name, definition] of changing) {
    const takesJson = definition.body !== 'bytes' && definition.body !== 'form';
    const ways: typeof asked = [
      ...asked,
      ...(takesJson ? inBody.map(([way, body]) => [way, { body }] as (typeof asked)[0]) : []),
    ];
    // A caller may request the dry run in any object of the body.
    const places = takesJson ? Object.keys(wireShape(definition.body as never)) : [];
    for (const place of places)
      if (takesFields(definition, place) && !hasOwnDryRun(definition, place))
        ways.push([`inside “${place}”`, { body: { [place]: { inner: [{ dry_run: 1 }] } } }]);

    test(`is refused with a sentence by ${definition.method} ${definition.path}`, async () => {
      for (const [way, options] of ways) {
        const { status, body, text } = await call(name, definition, options);
        assert.equal(status, 422, `${way}: ${text}`);
        const { code, errors } = body as { code: string; errors: string[] };
        assert.match(code, /^request\.(no|misplaced)_dry_run$/, `${way}: ${text}`);
        assert.match(errors[0]!, /dry.?run|prefer/i);
      }
    });
  }

  test('is refused in the form of an upload, before and after the file, and nothing is stored', async () => {
    const count = async () => (await app.app.ctx.db.read.selectFrom('attachments').select('id').execute()).length;
    const before = await count();
    const file = new File(['hello'], 'a.txt');
    for (const fields of [
      [
        ['dry_run', '1'],
        ['Filedata', file],
      ],
      [
        ['name', 'a.txt'],
        ['Filedata', file],
        ['message[dry_run]', '1'],
      ],
      [
        ['Filedata', file],
        ['dryRun', ''],
      ],
    ] as [string, string | File][][]) {
      const form = new FormData();
      for (const [name, value] of fields) form.append(name, value);
      await app.admin.refused(422, 'request.no_dry_run', 'uploadForm', { bytes: form });
    }
    assert.equal(await count(), before);
  });

  test('is ignored by calls that only read', async () => {
    await app.admin.expect(200, 'getAccount', { query: { dry_run: '1' }, headers: { 'dry-run': '1' } });
  });
});

/** Anything else there is refused for being an object. */
function takesFields({ body }: Endpoint, place: string): boolean {
  return Object.keys(wireShape(wireShape(body as never)[place])).length > 0;
}

function hasOwnDryRun({ body }: Endpoint, place: string): boolean {
  const inner = wireShape(body as never)[place];
  return inner !== undefined && 'dry_run' in wireShape(inner);
}
