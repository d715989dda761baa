// Builds the OpenAPI 3.1 document from the contract.
import { z } from 'zod';
import { wireShape } from '#contract/codec.ts';
import { dryRunAnswer } from '#contract/dry-runs.ts';
import { type Endpoint, endpoints } from '#contract/endpoints.ts';
import { problem } from '#contract/problems.ts';
import { listSettingFacts } from '../../domain/policy-facts.ts';
import { readOnlyFields } from '../transport/read-only-fields.ts';
import { exampleOf } from './openapi-examples.ts';
import { describeFields, describeOperation, pathMeaning } from './openapi-texts.ts';
import { refusalsOf } from './refusals.ts';

type Json = { [key: string]: unknown };

/** The address in the committed copy. */
const exampleUrl = 'https://files.example.com';

export function openApiDocument(serverUrl = exampleUrl): Json {
  const components: Json = {};
  const paths: Record<string, Json> = {};
  for (const [name, definition] of Object.entries(endpoints) as [string, Endpoint][]) {
    const path = definition.path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}');
    paths[path] = { ...paths[path], [definition.method.toLowerCase()]: operation(name, definition, components) };
  }
  describeGroupSettings(components);
  const problemSchema = schemaOf(problem, 'output', components);
  for (const schema of Object.values(components)) describeFields(schema as Json);
  addExamples(paths, components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Waybill HTTP API',
      version: '3.7',
      description:
        'Secure file transfer: uploads, FileLinks, the download log, accounts and administration. Requests and answers are JSON unless stated otherwise.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      contact: { name: 'The administrator of this server', url: serverUrl },
    },
    servers: [{ url: serverUrl }],
    tags: [...new Set(Object.values(endpoints).map((definition) => definition.tag))].map((tag) => ({
      name: tag,
      description: tagMeanings[tag],
    })),
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic', description: 'The API key as user name, any password.' },
        bearer: { type: 'http', scheme: 'bearer', description: 'The API key.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-sid',
          description:
            'The session of a signed-in person, from our own pages only, together with `X-CSRF-Token`. Never read when there is an Authorization header.',
        },
        csrf: {
          type: 'apiKey',
          in: 'header',
          name: 'X-CSRF-Token',
          description: 'The token of the session; `GET /app-api/me` tells it to our own pages.',
        },
      },
      responses: { Problem: problemResponse(problemSchema) },
    },
  };
}

function problemResponse(schema: Json): Json {
  return {
    description: 'Refused, with sentences, a stable code and the request id.',
    headers: {
      'Retry-After': {
        description: 'With 429 and 503: in how many seconds to come back.',
        schema: { type: 'integer', minimum: 0 },
      },
    },
    content: { 'application/json': { schema } },
  };
}

const tagMeanings: Record<Endpoint['tag'], string> = {
  Account: 'The caller: profile, addresses, keys and sessions.',
  Administration: 'People, groups, settings and everything else in the console.',
  App: 'Calls of the pages and the app. They change together with them.',
  Attachments: 'Uploading and deleting files.',
  'Download log': 'Who downloaded what, and when.',
  Evidence: 'Receipts, statements and the log of events with its proofs.',
  'File Requests': 'Asking people for files.',
  FileLinks: 'Links to one file.',
  Filedrops: 'Drop pages, where anyone may hand in files.',
  Messages: 'Files with a text, sent to named people.',
};

function describeGroupSettings(components: Json): void {
  const settings = Object.fromEntries(
    listSettingFacts().map(({ name, schema, takes, meaning, default: value }) => [
      name,
      { ...schema, description: `${meaning} Takes ${takes}.`, ...(value === '' ? {} : { default: value }) },
    ]),
  );
  for (const name of ['Group', 'GroupInput']) {
    const group = components[name] as { properties: Json };
    group.properties = { ...group.properties, ...settings };
  }
}

const security: Record<Endpoint['auth'], Json[]> = {
  none: [],
  key: [{ basic: [] }, { bearer: [] }, { session: [], csrf: [] }],
  drop: [{ basic: [] }, { bearer: [] }, {}],
  key_or_drop: [{ basic: [] }, { bearer: [] }, { session: [], csrf: [] }],
};

function operation(name: string, definition: Endpoint, components: Json): Json {
  const parameters = [
    ...pathParameters(definition),
    ...queryParameters(definition, components),
    ...headerParameters(definition),
  ];
  return {
    operationId: name,
    tags: [definition.tag],
    summary: definition.summary,
    description: describeOperation(definition),
    ...(definition.right === undefined ? {} : { 'x-right': definition.right }),
    ...(definition.origin === undefined ? {} : { 'x-origin': definition.origin }),
    security: security[definition.auth],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(definition.body === undefined
      ? {}
      : {
          requestBody: { ...toleranceOf(definition), required: true, content: requestContent(definition, components) },
        }),
    responses: {
      '200': answer(definition, components),
      ...(definition.answer === 'file' ? partsOfFiles : {}),
      ...refusals(name, definition),
      default: { $ref: '#/components/responses/Problem' },
    },
  };
}

function refusals(name: string, definition: Endpoint): Json {
  return Object.fromEntries(
    refusalsOf(name, definition).map(([status, codes]) => [
      status,
      {
        $ref: '#/components/responses/Problem',
        ...(codes.length === 0 ? {} : { description: `Codes: ${codes.map((code) => `\`${code}\``).join(', ')}.` }),
      },
    ]),
  );
}

function addExamples(paths: Record<string, Json>, components: Json): void {
  for (const methods of Object.values(paths))
    for (const operation of Object.values(methods) as { requestBody?: Json; responses: Record<string, Json> }[])
      for (const part of [operation.requestBody, operation.responses['200']]) {
        const json = (part?.content as Record<string, { schema: Json; example?: unknown }> | undefined)?.[
          'application/json'
        ];
        if (json !== undefined) json.example = exampleOf(components, json.schema, part === operation.requestBody);
      }
}

function pathParameters(definition: Endpoint): Json[] {
  return [...definition.path.replace('*', ':path').matchAll(/(?:([\w-]+)\/)?:(\w+)/g)].map(([, before, name]) => ({
    name,
    in: 'path',
    required: true,
    description: pathMeaning(before ?? '', name!),
    schema: { type: 'string' },
  }));
}

function queryParameters(definition: Endpoint, components: Json): Json[] {
  return Object.entries(wireShape(definition.query)).map(([name, schema]) => {
    const { description, ...made } = schemaOf(schema as z.ZodType, 'input', components);
    return {
      name,
      in: 'query',
      required: false,
      ...(description === undefined ? {} : { description }),
      schema: made,
    };
  });
}

function headerParameters(definition: Endpoint): Json[] {
  if (definition.idempotent !== true) return [];
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'A text of your own. The same key and body give the same answer for 24 hours and make nothing twice; the same key with another body is refused with 422.',
      schema: { type: 'string', maxLength: 255 },
    },
  ];
}

function toleranceOf(definition: Endpoint): Json {
  const { toleratesUnknownFields: reason, method, path } = definition;
  if (reason !== undefined) return { description: `Fields that are not listed are ignored. ${reason}` };
  const reading = Object.values<Endpoint>(endpoints).find((other) => other.method === 'GET' && other.path === path);
  const names =
    method !== 'PUT' || reading === undefined ? [] : [...readOnlyFields(definition, reading).values()].flat();
  if (names.length === 0) return {};
  return {
    description: `Read-only fields are accepted with the value they were read with: ${names.map((name) => `\`${name}\``).join(', ')}.`,
  };
}

function requestContent(definition: Endpoint, components: Json): Json {
  if (definition.body === 'bytes') return { '*/*': { schema: { type: 'string', format: 'binary' } } };
  if (definition.body === 'form') {
    const properties = {
      Filedata: { type: 'string', format: 'binary', description: 'The file, or one piece of it.' },
      name: { type: 'string', description: 'Name of the file, if that of the field is not meant.' },
      chunk: { type: 'integer', minimum: 0, description: 'Number of this piece, the first being 0.' },
      chunks: { type: 'integer', minimum: 0, description: 'Total number of pieces.' },
    };
    return { 'multipart/form-data': { schema: { type: 'object', properties, required: ['Filedata'] } } };
  }
  return { 'application/json': { schema: bodySchema(definition, components) } };
}

function bodySchema({ body, toleratesUnknownFields }: Endpoint, components: Json): Json {
  const isStrict = toleratesUnknownFields === undefined;
  return schemaOf(body as z.ZodType, isStrict ? 'strict_input' : 'input', components);
}

const partsOfFiles: Json = {
  '206': {
    description: 'The part that `Range` asks for.',
    content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
  },
  '304': { description: 'Not changed. The body is empty.' },
  '416': { description: 'The file has no such part. The body is empty.' },
};

function answer(definition: Endpoint, components: Json): Json {
  const attachment = {
    type: 'object',
    properties: { attachment: { $ref: '#/components/schemas/Attachment' } },
    required: ['attachment'],
  };
  if (definition.answer === 'empty') return { description: 'Done. The body is empty.' };
  if (definition.answer === 'piece') {
    const description = 'Complete: the attachment. A piece that does not complete the file: an empty body.';
    const headers = {
      'Upload-Id': { description: 'Send it back as `upload_id` with the other pieces.', schema: { type: 'string' } },
    };
    return { description, headers, 'x-may-be-empty': true, content: { 'application/json': { schema: attachment } } };
  }
  if (definition.answer === 'file') {
    return { description: 'The bytes.', content: { '*/*': { schema: { type: 'string', format: 'binary' } } } };
  }
  if (definition.answer === 'events') {
    const description =
      'Server-sent events: `id` is a number to resume after, `data` is JSON with the topics that changed.';
    return { description, content: { 'text/event-stream': { schema: { type: 'string' } } } };
  }
  if (definition.answer === 'id') {
    return {
      description: 'The id of the attachment. A piece that does not complete the file: an empty body.',
      'x-may-be-empty': true,
      content: { 'text/plain': { schema: { type: 'string' } }, 'application/json': { schema: attachment } },
    };
  }
  return {
    description: 'Done.',
    content: { 'application/json': { schema: jsonAnswer(definition.answer, definition, components) } },
  };
}

function jsonAnswer(schema: z.ZodType, { dryRuns }: Endpoint, components: Json): Json {
  const made = schemaOf(schema, 'output', components);
  return dryRuns === true ? { anyOf: [made, schemaOf(dryRunAnswer, 'output', components)] } : made;
}

/** Named schemas move to the components. */
function schemaOf(schema: z.ZodType, use: 'input' | 'strict_input' | 'output', components: Json): Json {
  const {
    $schema: _,
    $defs,
    ...body
  } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ jsonSchema }) {
      describeWholeNumber(jsonSchema as Json);
      if (use !== 'input' && jsonSchema.properties !== undefined) jsonSchema.additionalProperties ??= false;
    },
  }) as Json;
  for (const [name, definition] of Object.entries(($defs ?? {}) as Json))
    components[name] = withPublicRefs(withoutId(definition as Json));
  const named = body.id;
  if (typeof named === 'string') {
    components[named] = withPublicRefs(withoutId(body));
    return { $ref: `#/components/schemas/${named}` };
  }
  describeFields(body);
  return withPublicRefs(body) as Json;
}

/** Digits of a query, which are text in the contract. */
function describeWholeNumber(schema: Json): void {
  const { wholeNumber } = schema;
  if (wholeNumber === undefined) return;
  for (const name of ['wholeNumber', 'pattern', 'maxLength', 'allOf']) delete schema[name];
  Object.assign(schema, { type: 'integer' }, wholeNumber);
}

function withoutId(schema: Json): Json {
  const { id: _, ...rest } = schema;
  return rest;
}

function withPublicRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPublicRefs);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === '$ref' && typeof item === 'string'
        ? item.replace('#/$defs/', '#/components/schemas/')
        : withPublicRefs(item),
    ]),
  );
}
