// Calls endpoints by name and checks every reply against the contract, so that each test also covers the wire format.
import assert from 'node:assert/strict';
import type { z } from 'zod';
import { attachmentAnswer } from '#contract/attachments.ts';
import { wireObject } from '#contract/codec.ts';
import { dryRunAnswer } from '#contract/dry-runs.ts';
import { type Endpoint, type EndpointName, endpoints } from '#contract/endpoints.ts';
import { problem } from '#contract/problems.ts';
import { send, type Wanted } from './http.ts';
import { checkAnswer } from './openapi.ts';
import { wireForm } from './wire-form.ts';

export interface CallOptions {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  /** Sent unchanged. */
  bytes?: Uint8Array<ArrayBuffer> | ReadableStream | string | FormData;
  headers?: Record<string, string>;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** Parsed JSON, or null. */
  body: unknown;
}

export function assertRefused<R extends Pick<Reply, 'status' | 'text' | 'body'>>(
  reply: R,
  status: number,
  code: string,
): R {
  assert.equal(reply.status, status, reply.text);
  assert.equal((reply.body as { code?: string } | null)?.code, code, reply.text);
  return reply;
}

export class ApiClient {
  readonly url: string;
  readonly key: string | null;
  readonly email: string;

  constructor(url: string, key: string | null, email: string) {
    this.url = url;
    this.key = key;
    this.email = email;
  }

  /** Calls and checks the form of the reply, not its status. */
  async call(name: EndpointName, options: CallOptions = {}): Promise<Reply> {
    const reply = await this.send(name, options);
    checkReply(endpoints[name], reply, name);
    return reply;
  }

  /** Calls without a check, for tests that cause a fault of the service. */
  send(name: EndpointName, options: CallOptions = {}): Promise<Reply> {
    const definition: Endpoint = endpoints[name];
    const path = definition.path.replace(/:(\w+)/g, (_, key: string) =>
      encodeURIComponent(options.params?.[key] ?? ''),
    );
    const query = options.query === undefined ? '' : `?${new URLSearchParams(options.query)}`;
    return this.fetch(`${path}${query}`, {
      method: definition.method,
      headers: {
        accept: 'application/json',
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      ...(options.bytes === undefined ? {} : { body: options.bytes }),
    });
  }

  async expect(status: number, name: EndpointName, options: CallOptions = {}): Promise<Reply> {
    const reply = await this.call(name, options);
    assert.equal(reply.status, status, `${name} answered ${reply.status}: ${reply.text.slice(0, 300)}`);
    return reply;
  }

  async refused(status: number, code: string, name: EndpointName, options: CallOptions = {}): Promise<Reply> {
    return assertRefused(await this.call(name, options), status, code);
  }

  async upload(
    fileName: string,
    bytes: Uint8Array<ArrayBuffer> | string,
    name: EndpointName = 'uploadForLink',
    headers: Record<string, string> = {},
  ): Promise<z.input<typeof attachmentAnswer>['attachment']> {
    const reply = await this.expect(200, name, {
      query: { filename: fileName },
      bytes,
      headers: { 'content-type': 'application/octet-stream', ...headers },
    });
    return wireForm(attachmentAnswer, reply.body).attachment;
  }

  /** A request with this client's key; the reply must match the OpenAPI document. */
  async fetch(path: string, init: Wanted = {}): Promise<Reply> {
    const authorization: Record<string, string> =
      this.key === null ? {} : { authorization: `Basic ${Buffer.from(`${this.key}:x`).toString('base64')}` };
    const { status, headers, bytes } = await send(`${this.url}${path}`, {
      ...init,
      headers: { ...authorization, ...init.headers },
    });
    const text = bytes.toString();
    const contentType = headers.get('content-type') ?? '';
    const isJson = contentType.startsWith('application/json') && text !== '';
    const body: unknown = isJson ? JSON.parse(text) : null;
    // URL parsers resolve dots: `/x/.` becomes `/x/`.
    const asked = new URL(`${this.url}${path}`).pathname;
    if (init.method !== 'HEAD')
      checkAnswer({ method: init.method ?? 'GET', path: asked, status, contentType, text, body });
    return { status, headers, text, body };
  }
}

const strictOnes = new WeakMap<z.ZodObject, z.ZodObject>();

/** Rejects fields outside the schema. Cached, because creating a strict schema is slow. */
export function strictly<Schema extends z.ZodObject>(schema: Schema): ReturnType<Schema['strict']> {
  const known = strictOnes.get(schema) ?? schema.strict();
  strictOnes.set(schema, known);
  return known as ReturnType<Schema['strict']>;
}

/** Checks a success against the contract's schema, and a refusal against that of errors. */
function checkReply(definition: Endpoint, reply: Reply, name: string): void {
  assert.ok(
    reply.status < 500 || reply.status === 503 || reply.status === 507,
    `${name} answered ${reply.status}: ${reply.text}`,
  );
  if (reply.status >= 400) {
    strictly(problem).parse(reply.body);
    return;
  }
  assert.equal(reply.status, 200);
  if (definition.answer === 'empty') assert.equal(reply.text, '');
  else if (definition.answer === 'piece') {
    if (reply.text !== '') strictly(attachmentAnswer).parse(reply.body);
  } else if (definition.dryRuns === true && typeof reply.body === 'object' && 'dry_run' in reply.body!)
    strictly(wireObject(dryRunAnswer)!).parse(reply.body);
  else if (typeof definition.answer !== 'string') strictly(wireObject(definition.answer)!).parse(reply.body);
}
