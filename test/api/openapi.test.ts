import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { z } from 'zod';
import { wireShape } from '#contract/codec.ts';
import { type Endpoint, endpoints } from '#contract/endpoints.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { rawRequest } from '#test/kit/raw-requests.ts';
import { newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import refusals from '../../server/http/api-docs/refusals.json' with { type: 'json' };

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  security: Record<string, unknown>[];
  parameters?: { name: string; in: string; required: boolean; schema: { type?: string } }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { content?: Record<string, Content> }>;
}
interface Content {
  schema: object;
  example?: unknown;
}
interface Document {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { type?: string; required?: string[]; properties: Record<string, unknown> }> };
}

const all = Object.entries(endpoints) as [string, Endpoint][];

/** A path in the form of the document. */
function described(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}');
}

test('no two schemas of the contract share a name', () => {
  const known = new Map<string, string>();
  const shared = new Set<string>();
  const note = (name: string, io: string, definition: unknown) => {
    const text = JSON.stringify(definition);
    if ((known.get(`${name} ${io}`) ?? text) !== text) shared.add(name);
    known.set(`${name} ${io}`, text);
  };
  for (const [, { body, answer }] of all)
    for (const [schema, io] of [[body, 'input'] as const, [answer, 'output'] as const]) {
      if (typeof schema !== 'object') continue;
      const { $schema: _, $defs = {}, ...whole } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
      for (const [name, definition] of Object.entries($defs)) note(name, io, definition);
      if (whole.id !== undefined) note(whole.id, io, whole);
    }
  assert.deepEqual([...shared], []);
});

onOneEngine('/openapi.json', (start) => {
  const app = useApp(start);
  let document: Document;
  before(async () => {
    document = (await rawRequest(`${app.url}/openapi.json`)).body as Document;
  });

  test('is a valid OpenAPI 3.1 document', async () => {
    const result = await new Validator().validate(structuredClone(document) as unknown as Record<string, unknown>);
    assert.deepEqual(result.errors ?? [], []);
    assert.equal(result.valid, true);
    assert.match(document.openapi, /^3\.1\./);
  });

  test('is also available as YAML, and says when to retry after a refusal', async () => {
    const reply = await fetch(`${app.url}/openapi.yaml`);
    assert.equal(reply.headers.get('content-type'), 'application/yaml; charset=utf-8');
    const read = parse(await reply.text()) as Document & {
      components: { responses: { Problem: { headers: object } } };
    };
    assert.deepEqual(read, document);
    assert.ok('Retry-After' in read.components.responses.Problem.headers);
  });

  test('names the public address', () => {
    assert.deepEqual(document.servers, [{ url: app.url }]);
  });

  test('has every call of the contract under its name, and no other', () => {
    const found = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => `${operation.operationId} ${method.toUpperCase()} ${path}`),
    );
    const expected = all.map(([name, { method, path }]) => `${name} ${method} ${described(path)}`);
    assert.deepEqual(found.toSorted(), expected.toSorted());
  });

  test('lists for each call who may make it, its input and its output', () => {
    for (const [name, endpoint] of all) {
      const operation = document.paths[described(endpoint.path)]![endpoint.method.toLowerCase()]!;
      assert.equal(operation.security.length, { none: 0, key: 3, drop: 3, key_or_drop: 3 }[endpoint.auth], name);
      assert.equal(operation.requestBody !== undefined, endpoint.body !== undefined, name);
      assert.ok(operation.responses['200'] && operation.responses.default, name);
      assert.equal(operation.responses['200']!.content === undefined, endpoint.answer === 'empty', name);
      const queryNames = Object.keys(wireShape(endpoint.query));
      const inQuery = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
      assert.deepEqual(
        inQuery.map((parameter) => parameter.name),
        queryNames,
        name,
      );
      assert.ok(operation.summary.length > 5);
    }
  });

  test('gives each call a description, and each JSON body an example that fits its schema', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
    ajv.addSchema(document, 'api');
    const part = (text: string) => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, { operationId, description, requestBody, responses }] of Object.entries(methods)) {
        assert.ok(description.length > 20, operationId);
        const bodies = { requestBody: requestBody?.content, 'responses/200': responses['200']?.content };
        for (const [place, content] of Object.entries(bodies)) {
          const json = content?.['application/json'];
          if (json === undefined) continue;
          const $ref = `api#/paths/${part(path)}/${method}/${place}/content/${part('application/json')}/schema`;
          const validate = ajv.compile({ $ref });
          assert.ok(validate(json.example), `${operationId} ${place}: ${ajv.errorsText(validate.errors)}`);
        }
      }
  });

  test('types whole numbers as integers', () => {
    const typed = new Map<string, unknown>();
    for (const methods of Object.values(document.paths))
      for (const { parameters = [] } of Object.values(methods))
        for (const { name, schema } of parameters) typed.set(name, schema.type);
    for (const name of ['page', 'size', 'limit', 'days', 'older_than', 'chunk', 'chunks', 'sent_in_the_last'])
      assert.equal(typed.get(name), 'integer', name);
  });

  test('has no reference without a target', () => {
    const text = JSON.stringify(document);
    for (const [, path] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = path!
        .split('/')
        .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);
      assert.notEqual(target, undefined, path!);
    }
  });

  test('describes the objects of the specification with their fields', () => {
    for (const [schema, fields] of Object.entries({
      FileLink: ['id', 'filename', 'size', 'size_human', 'expires_at', 'url', 'created_at', 'updated_at'],
      Download: ['id', 'attachment_id', 'filelink_id', 'remote_host', 'download_time', 'region_name'],
      Attachment: ['id', 'filename', 'size', 'checksum', 'crc32'],
      Account: ['user_id', 'email', 'client_encryption_key'],
      Problem: ['errors', 'code', 'request_id'],
    })) {
      const properties = document.components.schemas[schema]?.properties ?? {};
      for (const field of fields) assert.ok(field in properties, `${schema}.${field}`);
    }
    assert.equal(Object.keys(document.components.schemas.Download!.properties).length, 28);
    assert.equal(Object.keys(document.components.schemas.FileLink!.properties)[0], 'id');
  });

  test('every described call is served; what is not described is not', async () => {
    const forMachines =
      /^GET (\/healthz|\/readyz|\/openapi\.(?:json|yaml)|\/robots\.txt|\/assets\/[\w.-]+|\/brand\/:name|\/app\/assets\/:name)$/;
    const served = app.app.routes
      .filter((route) => route.kinds.includes('api'))
      .map(({ method, path }) => `${method} ${path}`)
      .filter((route) => !forMachines.test(route) && !route.includes(' /scim/v2/'));
    const described = all.map(([, { method, path }]) => `${method} ${path}`);
    assert.deepEqual(served.toSorted(), described.toSorted());
  });

  test('reveals no version of the program and no path of the machine', () => {
    const text = JSON.stringify(document);
    assert.doesNotMatch(text, /\/(home|root|var|tmp)\//);
    assert.doesNotMatch(text, /node_modules/);
  });
});

onOneEngine('access to /openapi.json, as the operator sets it', (start) => {
  test('"off" is 404 for all, "signed-in" requires a key', async () => {
    const off = await start({ environment: { WAYBILL_OPENAPI: 'off' } });
    try {
      for (const headers of [{}, { authorization: `Bearer ${off.admin.key}` }] as Record<string, string>[]) {
        const reply = await rawRequest(`${off.url}/openapi.json`, { headers });
        assert.equal(reply.status, 404);
        assert.ok(Array.isArray((reply.body as { errors: unknown }).errors));
        assert.equal((await rawRequest(`${off.url}/openapi.yaml`, { headers })).status, 404);
      }
    } finally {
      await off.close();
    }
    const signedIn = await start({ environment: { WAYBILL_OPENAPI: 'signed-in' } });
    try {
      const alice = await newPerson(signedIn, 'alice');
      assert.equal((await rawRequest(`${signedIn.url}/openapi.json`)).status, 401);
      const headers = { authorization: `Bearer ${alice.key}` };
      assert.equal((await rawRequest(`${signedIn.url}/openapi.json`, { headers })).status, 200);
      assert.equal((await rawRequest(`${signedIn.url}/docs/api`)).status, 401, 'its pages require a key too');
      assert.equal((await rawRequest(`${signedIn.url}/docs/api`, { headers })).status, 200);
    } finally {
      await signedIn.close();
    }
  });
});

test('the recorded refusals name calls of the contract and stable codes', () => {
  for (const [operation, statuses] of Object.entries(refusals)) {
    assert.ok(Object.hasOwn(endpoints, operation), operation);
    // Faults of programs have no translated sentence.
    for (const code of Object.values(statuses).flat()) assert.match(code, /^[a-z_]+\.[a-z_]+$/);
  }
});
