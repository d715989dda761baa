// Compares every API answer of a test with the OpenAPI document. Schemas are compiled on first use, once per process.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

interface Described {
  $ref?: string;
  content?: Record<string, unknown>;
  'x-may-be-empty'?: boolean;
}

interface Operation {
  operationId: string;
  responses: Record<string, Described>;
}

type Methods = Record<string, Operation>;

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/openapi.json'), 'utf8')) as {
  paths: Record<string, Methods>;
};

// The contract checks formats; the document's other members, such as `description`, are not schema keywords.
const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
ajv.addSchema(document, 'api');

const templates = Object.keys(document.paths)
  .map((path) => ({ path, pattern: patternOf(path), fixed: path.split('/').filter((part) => !part.startsWith('{')) }))
  // `/message/sent` before `/message/{id}`.
  .sort((one, other) => other.fixed.length - one.fixed.length);

function patternOf(path: string): RegExp {
  const escaped = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\{path\}$/, '.+').replace(/\{\w+\}/g, '[^/]+')}$`);
}

const found = new Map<string, string | null>();

function templateOf(path: string, method: string): string | null {
  const known = found.get(`${method} ${path}`);
  if (known !== undefined) return known;
  const template = templates.find((one) => one.pattern.test(path) && document.paths[one.path]![method] !== undefined);
  found.set(`${method} ${path}`, template?.path ?? null);
  return template?.path ?? null;
}

export interface Answer {
  method: string;
  path: string;
  status: number;
  contentType: string;
  text: string;
  /** The text as JSON, where already parsed. */
  body?: unknown;
}

/** Throws when the document describes this call but not this answer. */
export function checkAnswer({ method, path, status, contentType, text, body }: Answer): void {
  const verb = method.toLowerCase();
  const template = templateOf(path.split('?', 1)[0]!, verb);
  // A page, or an unknown address.
  if (template === null || contentType.startsWith('text/html')) return;
  const { operationId, responses } = document.paths[template]![verb]!;
  if (status >= 400 && contentType.startsWith('application/json')) noteRefusal(operationId, status, text);
  if (recordPath === undefined && documented.has(status))
    assert.ok(status in responses, `the document of ${operationId} lacks ${status} (see scripts/refusals.ts): ${text}`);
  const which = responses[String(status)] === undefined ? 'default' : String(status);
  const described: Described | undefined =
    responses[which]?.$ref === undefined ? responses[which] : { content: { 'application/json': {} } };
  const where = `${method} ${template} answered ${status} ${contentType}`;
  // An answer without a body has no content, or may be empty.
  const mayBeEmpty =
    described?.content === undefined || described['x-may-be-empty'] === true || '*/*' in described.content;
  if (text === '') return void assert.ok(mayBeEmpty, `${where} without a body`);
  const content = Object.keys(described?.content ?? {});
  const type = content.find((one) => contentType.startsWith(one)) ?? content.find((one) => one === '*/*');
  assert.ok(type !== undefined, `${where}; the document has ${which}: ${content.join(', ') || 'nothing'}`);
  if (type !== 'application/json') return;
  const validate = validatorOf(template, verb, responses[which]?.$ref === undefined ? which : 'default');
  assert.ok(validate(body ?? JSON.parse(text)), `${where}: ${ajv.errorsText(validate.errors)}\n${text.slice(0, 500)}`);
}

/** A file that collects the refusals of a test run for `scripts/refusals.ts`. */
const recordPath = process.env.RECORD_REFUSALS;
const noted = new Set<string>();

/** Any request can meet the others. */
const documented = new Set([401, 403, 404, 409, 410, 413, 422]);

function noteRefusal(operation: string, status: number, text: string): void {
  if (recordPath === undefined) return;
  const line = `${operation} ${status} ${JSON.parse(text).code}\n`;
  if (noted.has(line)) return;
  noted.add(line);
  appendFileSync(recordPath, line);
}

const validators = new Map<string, ValidateFunction>();

function validatorOf(path: string, method: string, status: string): ValidateFunction {
  const part = (text: string) => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));
  const pointer =
    status === 'default'
      ? 'components/schemas/Problem'
      : `paths/${part(path)}/${method}/responses/${status}/content/${part('application/json')}/schema`;
  // Cached by reference: all refusals share a form, and compiling takes longer than a call.
  const validate = validators.get(pointer) ?? ajv.compile({ $ref: `api#/${pointer}` });
  validators.set(pointer, validate);
  return validate;
}
