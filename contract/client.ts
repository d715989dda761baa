// A typed client of every call in the contract, for browsers and Node. Types come from the schemas; at run time there is
// only the table of routes, so that browsers load no validator. Answers are trusted: they come from our server.
import type { z } from 'zod';
import type { AttachmentBody } from './attachments.ts';
import type { ParamsIn } from './endpoint.ts';
import type { Endpoint, EndpointName, endpoints } from './endpoints.ts';
import type { ProblemBody } from './problems.ts';
import { routes } from './routes.gen.ts';

type Definitions = typeof endpoints;

type Member<Key extends string, Value> = [Value] extends [never]
  ? unknown
  : object extends Value
    ? { [Name in Key]?: Value }
    : { [Name in Key]: Value };

type ParamsOf<Definition extends Endpoint> = [ParamsIn<Definition['path']>] extends [never]
  ? never
  : Record<ParamsIn<Definition['path']>, string>;
type QueryOf<Definition extends Endpoint> = Definition extends { query: infer Query extends z.ZodType }
  ? { [Key in keyof z.input<Query>]?: z.input<Query>[Key] | number }
  : never;
type BodyOf<Definition extends Endpoint> = Definition extends { body: infer Body }
  ? Body extends z.ZodType
    ? z.input<Body>
    : BodyInit
  : never;

interface Extras {
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

/** What one call takes: `params` of its path, `query`, `body`; each only where the call has it. */
export type CallInput<Name extends EndpointName> = Extras &
  Member<'params', ParamsOf<Definitions[Name]>> &
  Member<'query', QueryOf<Definitions[Name]>> &
  Member<'body', BodyOf<Definitions[Name]>>;

/** What it returns: the JSON, nothing, or the response itself for bytes and events. */
export type CallAnswer<Name extends EndpointName> = Definitions[Name]['answer'] extends z.ZodType
  ? z.input<Definitions[Name]['answer']>
  : Definitions[Name]['answer'] extends 'empty'
    ? undefined
    : Definitions[Name]['answer'] extends 'piece'
      ? { attachment: AttachmentBody } | undefined
      : Response;

type Caller<Name extends EndpointName> =
  object extends CallInput<Name>
    ? (input?: CallInput<Name>) => Promise<CallAnswer<Name>>
    : (input: CallInput<Name>) => Promise<CallAnswer<Name>>;

export type Client = { [Name in EndpointName]: Caller<Name> };

export interface ClientOptions {
  /** Without a trailing slash; '' for the page's own origin. */
  baseUrl: string;
  fetch?: typeof fetch;
  /** Called for each request: the session token, or an Authorization header. */
  headers?: () => Record<string, string>;
}

/** A refusal by the server; status 0 without a response. */
export class ClientProblem extends Error {
  readonly status: number;
  readonly code: string;
  /** For people, in their language; empty when the response is not from our server. */
  readonly sentence: string;
  readonly sentences: readonly string[];
  readonly field: string | null;
  readonly requestId: string;
  readonly retryAfterSeconds: number | null;
  /** With 409: changes by other users. */
  readonly conflictingChanges: NonNullable<ProblemBody['meanwhile']>;
  /** Of a test that failed. */
  readonly steps: NonNullable<ProblemBody['steps']>;

  constructor(
    status: number,
    body: Partial<ProblemBody>,
    more: { retryAfterSeconds?: number | null; cause?: unknown },
  ) {
    super(body.errors?.[0] ?? body.code ?? `status ${status}`, { cause: more.cause });
    this.name = 'ClientProblem';
    this.status = status;
    this.code = body.code ?? (status === 0 ? 'network.unreachable' : 'network.unexpected');
    this.sentences = body.localized_errors ?? body.errors ?? [];
    this.sentence = this.sentences[0] ?? '';
    this.field = body.field ?? null;
    this.requestId = body.request_id ?? '';
    this.conflictingChanges = body.meanwhile ?? [];
    this.steps = body.steps ?? [];
    this.retryAfterSeconds = more.retryAfterSeconds ?? null;
  }
}

interface AnyInput extends Extras {
  params?: Record<string, string>;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
}

export function createClient(options: ClientOptions): Client {
  const client: Record<string, (input?: AnyInput) => Promise<unknown>> = {};
  for (const [name, route] of Object.entries(routes)) client[name] = (input = {}) => call(options, route, input);
  return client as unknown as Client;
}

type Route = (typeof routes)[EndpointName];

async function call(options: ClientOptions, route: Route, input: AnyInput): Promise<unknown> {
  const [method, path, sends, answers] = route;
  const isJson = sends === 'json';
  const send = options.fetch ?? fetch;
  let response: Response;
  try {
    response = await send(`${options.baseUrl}${addressOf(path, input)}`, {
      method,
      headers: {
        accept: answers === 'events' ? 'text/event-stream' : 'application/json',
        ...(isJson ? { 'content-type': 'application/json' } : {}),
        ...options.headers?.(),
        ...input.headers,
      },
      ...(sends === 'nothing' ? {} : { body: isJson ? JSON.stringify(input.body ?? {}) : (input.body as BodyInit) }),
      ...(input.signal === undefined ? {} : { signal: input.signal }),
    });
  } catch (error) {
    if (input.signal?.aborted === true) throw error;
    throw new ClientProblem(0, {}, { cause: error });
  }
  if (!response.ok) throw await problemOf(response);
  if (answers === 'raw' || answers === 'events') return response;
  const text = await response.text();
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    // Not our server: a captive portal, for example.
    throw new ClientProblem(response.status, {}, { cause: error });
  }
}

function addressOf(path: string, input: AnyInput): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(input.params?.[name] ?? ''));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
}

/** Also for responses of proxies. */
async function problemOf(response: Response): Promise<ClientProblem> {
  const header = response.headers.get('retry-after');
  const more = { retryAfterSeconds: header !== null && /^\d+$/.test(header) ? Number(header) : null };
  const body = readProblem(await response.text().catch(() => ''));
  if (body !== null) return new ClientProblem(response.status, body, more);
  return new ClientProblem(response.status, { request_id: response.headers.get('x-request-id') ?? '' }, more);
}

/** Null if the text is not a refusal of this API. */
export function readProblem(text: string): Partial<ProblemBody> | null {
  try {
    const body = JSON.parse(text) as Partial<Record<keyof ProblemBody, unknown>> | null;
    const { errors, code = '' } = body ?? {};
    const isOurs =
      Array.isArray(errors) && errors.every((each) => typeof each === 'string') && typeof code === 'string';
    return isOurs ? (body as Partial<ProblemBody>) : null;
  } catch {
    return null;
  }
}
