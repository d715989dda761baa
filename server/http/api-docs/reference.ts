// One reference page for each tag of the OpenAPI document.
import type { DocsBlock } from '#web/pages/api-docs-props.ts';
import { type ExampleCall, examplesOf } from './examples.ts';

type Json = { [key: string]: unknown };

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: Json[];
  parameters?: { name: string; in: string; description?: string; schema: Json }[];
  requestBody?: { content: Record<string, { schema: Json; example?: unknown }> };
  responses: Record<string, { description?: string; content?: Record<string, { schema: Json }> }>;
}

export interface OpenApi {
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
}

export function tagAddress(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-');
}

export function referenceOf(document: OpenApi, tag: string, baseUrl: string): DocsBlock[] {
  const blocks: DocsBlock[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.tags.includes(tag)) blocks.push(...operationBlocks({ document, baseUrl, path, method, operation }));
    }
  }
  return blocks;
}

interface Place {
  document: OpenApi;
  baseUrl: string;
  path: string;
  method: string;
  operation: Operation;
}

function operationBlocks({ document, baseUrl, path, method, operation }: Place): DocsBlock[] {
  const body = operation.requestBody?.content;
  const fields = body?.['application/json'] === undefined ? [] : fieldRows(document, body['application/json'].schema);
  const answer = operation.responses['200']!;
  const refusals = Object.entries(operation.responses).flatMap(([status, { description, content }]) =>
    content === undefined && Number(status) >= 400 && description !== undefined
      ? [[`\`${status}\``, description.replace(/^Codes: /, '')]]
      : [],
  );
  const returned =
    answer.content?.['application/json'] === undefined
      ? []
      : fieldRows(document, answer.content['application/json'].schema);
  const parameters = (operation.parameters ?? []).map(({ name, in: where, description, schema }) => [
    `\`${name}\``,
    where,
    typeOf(document, schema),
    description ?? '',
  ]);
  return [
    { is: 'heading', level: 2, id: operation.operationId, text: operation.summary },
    { is: 'call', method: method.toUpperCase(), path },
    { is: 'text', text: operation.description },
    ...tableOf(['Parameter', 'In', 'Type', 'Meaning'], parameters),
    ...tableOf(['Field sent', 'Type', 'Meaning'], fields),
    ...tableOf(['Field returned', 'Type', 'Meaning'], returned),
    ...(returned.length === 0 ? [{ is: 'text', text: `Returns 200. ${answer.description}` } as const] : []),
    ...tableOf(['Refused with', 'Codes'], refusals),
    { is: 'examples', examples: examplesOf(exampleCall({ document, baseUrl, path, method, operation })) },
  ];
}

function tableOf(head: string[], rows: string[][]): DocsBlock[] {
  return rows.length === 0 ? [] : [{ is: 'table', head, rows }];
}

/** One level inside the wrapper; deeper fields get dotted names. */
function fieldRows(document: OpenApi, schema: Json, before = '', depth = 0): string[][] {
  const resolved = resolve(document, schema);
  const properties = (resolved.properties ?? {}) as Record<string, Json>;
  return Object.entries(properties).flatMap(([name, property]) => {
    const label = before === '' ? name : `${before}.${name}`;
    const inner = itemOf(document, property);
    const row = [`\`${label}\``, typeOf(document, property), descriptionOf(document, property)];
    if (depth >= 2 || inner.properties === undefined) return [row];
    return [row, ...fieldRows(document, inner, label, depth + 1)];
  });
}

function itemOf(document: OpenApi, schema: Json): Json {
  const resolved = resolve(document, schema);
  return resolved.type === 'array' ? resolve(document, (resolved.items ?? {}) as Json) : resolved;
}

function resolve(document: OpenApi, schema: Json): Json {
  const reference = schema.$ref;
  if (typeof reference === 'string') return document.components.schemas[reference.split('/').at(-1)!] ?? {};
  // The real answer comes before that of a dry run, and a value before null.
  const variants = schema.anyOf as Json[] | undefined;
  return variants === undefined || schema.properties !== undefined ? schema : resolve(document, variants[0]!);
}

function descriptionOf(document: OpenApi, schema: Json): string {
  return (schema.description ?? resolve(document, schema).description ?? '') as string;
}

export function typeOf(document: OpenApi, schema: Json): string {
  const reference = schema.$ref;
  if (typeof reference === 'string') return reference.split('/').at(-1)!;
  const variants = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (variants !== undefined) {
    const types = [...new Set(variants.flatMap((one) => typeOf(document, one).split(' or ')))];
    // Numbers and strings for booleans are for old clients only.
    return (types.includes('boolean') ? types.filter((type) => !type.startsWith('`')) : types).join(' or ');
  }
  if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(', ');
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.type === 'array') return `list of ${typeOf(document, (schema.items ?? {}) as Json)}`;
  return Array.isArray(schema.type) ? schema.type.join(' or ') : ((schema.type ?? 'anything') as string);
}

function literal(value: unknown): string {
  return `\`${value === '' ? '""' : value}\``;
}

function exampleCall({ baseUrl, path, method, operation }: Place): ExampleCall {
  const schema = operation.requestBody?.content['application/json']?.schema;
  const isUpload = operation.requestBody !== undefined && schema === undefined;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase());
  const query = isUpload && operation.parameters?.some(({ name }) => name === 'filename') ? '?filename=report.pdf' : '';
  return {
    method: method.toUpperCase(),
    url: `${baseUrl}${filled}${query}`,
    ...(schema === undefined ? {} : { json: operation.requestBody?.content['application/json']?.example }),
    hasFile: isUpload,
    needsKey: operation.security.length > 0 && operation.security.every((one) => Object.keys(one).length > 0),
  };
}
