import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApiDocument } from './openapi.ts';
import { describeFields, isPlain, pathMeaning, type Schema } from './openapi-texts.ts';

interface Operation {
  tags: string[];
  parameters?: { name: string; description?: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

const document = openApiDocument() as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** Calls of our own pages and the console change together with them; the rest is public. */
const forScripts = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { tags }]) => !tags.includes('App') && !tags.includes('Administration'))
    .map(([method, operation]) => ({ call: `${method.toUpperCase()} ${path}`, operation })),
);

test('each parameter of a public call has a description', () => {
  assert.ok(forScripts.length > 30);
  const mute = forScripts.flatMap(({ call, operation }) =>
    (operation.parameters ?? [])
      .filter(({ description = '' }) => description === '')
      .map(({ name }) => `${call} ${name}`),
  );
  assert.deepEqual(mute, []);
});

test('each field that a public call takes or returns has a description', () => {
  const mute = new Set<string>();
  const seen = new Set<string>();
  const look = (where: string, schema: Schema) => {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.split('/').at(-1)!;
      if (seen.has(name)) return;
      seen.add(name);
      return look(name, document.components.schemas[name]!);
    }
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if (isPlain(property) && (property.description ?? '') === '') mute.add(`${where}.${name}`);
      look(`${where}.${name}`, property);
    }
    for (const inner of [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])]) look(where, inner);
  };
  for (const { call, operation } of forScripts) {
    const bodies = [
      operation.requestBody?.content,
      ...Object.values(operation.responses).map(({ content }) => content),
    ];
    for (const { schema } of bodies.flatMap((content) => Object.values(content ?? {}))) look(call, schema);
  }
  assert.ok(seen.has('Account') && seen.has('Receipt'));
  assert.deepEqual([...mute], []);
});

test('a description of its own overrides that of the name, and a list gets no description of a number', () => {
  const schema: { properties: Record<string, Schema> } = {
    properties: {
      size: { type: 'integer', description: 'Entries.' },
      bytes: { type: 'integer' },
      files: { type: 'array' },
      owner: { properties: { email: {} } },
    },
  };
  describeFields(schema);
  const { size, bytes, files, owner } = schema.properties;
  assert.deepEqual(
    [size, bytes, files, owner, owner!.properties!.email].map((field) => field!.description),
    ['Entries.', 'Bytes.', undefined, undefined, 'E-mail address.'],
  );
});

test('an id in a path names the object it identifies', () => {
  assert.equal(pathMeaning('link', 'id'), 'Id of the link.');
  assert.equal(pathMeaning('keys', 'key'), 'Key of the drop page.');
  assert.equal(pathMeaning('filedrop', 'name'), 'Name of the drop page, as in its address.');
});
