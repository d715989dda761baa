// Serves one call of the contract: credentials, query, body, answer.
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { encoderOf, wireShape } from '#contract/codec.ts';
import { type DryRun, dryRunAnswer } from '#contract/dry-runs.ts';
import type { ParamsIn } from '#contract/endpoint.ts';
import { type Endpoint, type EndpointName, endpoints } from '#contract/endpoints.ts';
import { type ListFilter, recordExport, recordListView } from '../actions/audit/views.ts';
import type { Ctx } from '../actions/context.ts';
import type { IdempotencyKey } from '../actions/idempotency.ts';
import { assertConsoleNetwork } from '../actions/security/networks.ts';
import { requireOpen } from '../actions/system/maintenance.ts';
import { textWithReferences } from '../actions/transfers/references.ts';
import type { AnonymousCaller, UserCaller } from '../domain/caller.ts';
import { Problem } from '../domain/problem.ts';
import { requireRight } from '../domain/roles.ts';
import type { HttpDeps } from './deps.ts';
import { anonymousCaller, hasShownKey, requireUser } from './identity/credentials.ts';
import { jsonText, sendEmpty, sendJsonText } from './transport/answers.ts';
import { hasBody, isJson, readJson } from './transport/body.ts';
import { readOnlyFields, withoutUnchanged } from './transport/read-only-fields.ts';
import type { Exchange, Router } from './transport/router.ts';
import { refuseDryRun, refuseUnknownFields } from './transport/unknown-fields.ts';

type Definitions = typeof endpoints;
type CallerOf<Definition extends Endpoint> = Definition['auth'] extends 'key' ? UserCaller : AnonymousCaller;
type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type BodyOf<Definition extends Endpoint> = Definition extends { body: infer Body } ? Body : undefined;
type DryRunOf<Definition extends Endpoint> = Definition['dryRuns'] extends true ? DryRun : never;
type AnswerOf<Definition extends Endpoint> = Definition['answer'] extends z.ZodType
  ? Promise<z.output<Definition['answer']> | DryRunOf<Definition> | typeof alreadySent>
  : Definition['answer'] extends 'empty'
    ? Promise<void>
    : Promise<typeof alreadySent>;

/** Returned by handlers that have written the answer themselves. */
export const alreadySent = 'already sent' as const;

export interface Call<Definition extends Endpoint> extends Omit<Exchange, 'params'> {
  params: Record<ParamsIn<Definition['path']>, string>;
  deps: HttpDeps;
  ctx: Ctx;
  caller: CallerOf<Definition>;
  query: Parsed<Definition['query']>;
  body: Parsed<BodyOf<Definition>>;
  /** From the Idempotency-Key header of a creation. */
  once: IdempotencyKey | null;
  /** Checks the caller again if reading the body took long: the account may have been disabled. */
  callerAfterBody(): Promise<CallerOf<Definition>>;
}

const slowBodyMs = 1000;

export type Serve = <Name extends EndpointName>(
  name: Name,
  handler: (call: Call<Definitions[Name]>) => AnswerOf<Definitions[Name]>,
) => void;

/** Calls outside the contract do not compile. */
export function createServe(deps: HttpDeps, router: Router): Serve {
  const readings = new Map<string, Reading>();
  return (name, handler) => {
    const definition: Endpoint = endpoints[name];
    const encode = answerEncoder(definition);
    const isOfConsole = definition.right !== undefined;
    // Finds ids in typed text, because an id opens its transfer.
    const textOf = (answer: unknown) => {
      const encoded = encode(answer);
      return isOfConsole ? textWithReferences(deps.ctx, JSON.stringify(encoded)) : jsonText(encoded);
    };
    if (definition.method === 'GET')
      readings.set(definition.path, {
        definition,
        read: async (call) => JSON.parse(await textOf(await handler(call as never))),
      });
    const withoutReadOnly = createReadOnlyCheck(definition, readings);
    const answerCall = async (exchange: Exchange): Promise<void> => {
      const { raw, response } = exchange;
      const admittedAt = deps.ctx.clock.now();
      const admitted = await admit(deps, exchange, definition);
      const callerAfterBody = async () =>
        deps.ctx.clock.now() - admittedAt > slowBodyMs ? admit(deps, exchange, definition) : admitted;
      refuseDryRun(definition, exchange.queryText, raw.headers);
      const query = definition.query === undefined ? undefined : readQuery(definition.query, exchange.queryText);
      const schema = jsonSchemaFor(definition, raw);
      const json = schema === null ? undefined : await readJson(raw, response, definition.anyFailureIs422 === true);
      const caller = schema === null ? admitted : await callerAfterBody();
      const call = { ...exchange, deps, ctx: deps.ctx, caller, query, callerAfterBody };
      const body = schema === null ? undefined : parseJsonBody(definition, schema, await withoutReadOnly(call, json));
      const once =
        definition.idempotent === true && definition.isStreamed !== true
          ? idempotencyKey(exchange, name, () => json)
          : null;
      exchange.signal.throwIfAborted();
      if (definition.shows !== undefined)
        await noteReading(deps.ctx, caller as UserCaller, definition, exchange.queryText);
      const answer: unknown = await handler({ ...call, body, once } as unknown as Call<Definitions[typeof name]>);
      if (answer === alreadySent) return;
      if (answer === undefined) sendEmpty(exchange);
      else sendJsonText(exchange, 200, await textOf(answer));
    };
    const isByKey = definition.auth === 'key';
    router.api(definition.method, definition.path, (exchange) =>
      isByKey && exchange.raw.headers.authorization !== undefined
        ? counted(deps, exchange, answerCall)
        : answerCall(exchange),
    );
  };
}

/** These do not change what is read. */
const notFilters = new Set(['after', 'size', 'limit', 'sort', 'order', 'format']);

/** The event precedes the answer, which may be a stream. */
async function noteReading(ctx: Ctx, caller: UserCaller, definition: Endpoint, queryText: string): Promise<void> {
  const known = definition.query === undefined ? {} : wireShape(definition.query);
  const asked = [...new URLSearchParams(queryText)].filter(([name]) => Object.hasOwn(known, name));
  const filter: ListFilter = Object.fromEntries(
    asked.filter(([name, value]) => value !== '' && !notFilters.has(name)).toSorted(),
  );
  await (definition.answer === 'file' ? recordExport : recordListView)(ctx, caller, definition.shows!, filter);
}

/** The call that reads what a path holds. */
interface Reading {
  definition: Endpoint;
  read(call: object): Promise<unknown>;
}

/** Applies where the same path can be read. */
function createReadOnlyCheck(definition: Endpoint, readings: ReadonlyMap<string, Reading>) {
  return async (call: { caller: UserCaller | AnonymousCaller }, json: unknown): Promise<unknown> => {
    const reading = definition.method === 'PUT' ? readings.get(definition.path) : undefined;
    if (reading === undefined) return json;
    const { right } = reading.definition;
    return withoutUnchanged(json, readOnlyFields(definition, reading.definition), () => {
      if (right !== undefined && call.caller.kind === 'user') requireRight(call.caller, right);
      return reading.read(call);
    });
  };
}

/** Drops fields that the endpoint does not declare. */
function answerEncoder({ answer, dryRuns }: Endpoint): (answer: unknown) => unknown {
  if (typeof answer === 'string') return (value) => value;
  const encode = encoderOf(answer);
  if (dryRuns !== true) return encode;
  const encodeDryRun = encoderOf(dryRunAnswer);
  return (value) => ('dryRun' in (value as object) ? encodeDryRun(value as DryRun) : encode(value));
}

async function admit(deps: HttpDeps, exchange: Exchange, definition: Endpoint): Promise<UserCaller | AnonymousCaller> {
  if (definition.isPublishable === true && deps.ctx.settings.surroundings.isEvidencePublic)
    return anonymousCaller(deps, exchange);
  const caller =
    definition.auth === 'key' ? await requireUser(deps, exchange, definition) : anonymousCaller(deps, exchange);
  if (definition.right !== undefined && caller.kind === 'user') requireRight(caller, definition.right);
  if (definition.right !== undefined) {
    // Administrators see the latest settings, whichever process changed them.
    await deps.ctx.settings.refresh();
    assertConsoleNetwork(deps.ctx, caller as UserCaller);
  }
  if (definition.isOpenInMaintenance !== true) requireOpen(deps.ctx, caller);
  return caller;
}

/** Unknown callers add no row. */
async function counted(
  deps: HttpDeps,
  exchange: Exchange,
  answerCall: (exchange: Exchange) => Promise<void>,
): Promise<void> {
  const agent = exchange.raw.headers['user-agent'] ?? '';
  try {
    await answerCall(exchange);
    deps.clients.note(agent, '');
  } catch (error) {
    if (hasShownKey(exchange.raw)) deps.clients.note(agent, error instanceof Problem ? error.code : 'server.fault');
    throw error;
  }
}

/** Null if there is no JSON body, or the handler reads it. */
function jsonSchemaFor({ method, body, isStreamed, toleratesUnknownFields }: Endpoint, raw: IncomingMessage) {
  if (body !== undefined) return typeof body === 'string' || isStreamed === true ? null : body;
  const isIgnored = toleratesUnknownFields !== undefined && !isJson(raw);
  return method === 'GET' || isIgnored || !hasBody(raw) ? null : emptyBody;
}

const emptyBody = z.object({});

/** For handlers that read the body themselves. */
export function parseBody<Name extends EndpointName>(name: Name, value: unknown): Parsed<BodyOf<Definitions[Name]>> {
  const definition: Endpoint = endpoints[name];
  return parseJsonBody(definition, definition.body as z.ZodType, value) as Parsed<BodyOf<Definitions[Name]>>;
}

function parseJsonBody(definition: Endpoint, schema: z.ZodType, value: unknown): unknown {
  refuseUnknownFields(definition, schema, value);
  return parse(schema, value);
}

/** File names are cleaned instead of refused. */
const cleanedParameters = new Set(['filename', 'name']);

function readQuery(schema: z.ZodType, text: string): unknown {
  const shape = wireShape(schema);
  const values: Record<string, string> = {};
  for (const [key, value] of new URLSearchParams(text)) {
    if (!Object.hasOwn(shape, key) || values[key] !== undefined) continue;
    if (value.includes('\0') && !cleanedParameters.has(key))
      throw new Problem('invalid', 'request.invalid', `The parameter "${key}" must not contain NUL characters.`, {
        field: key,
      });
    values[key] = value;
  }
  return parse(schema, values);
}

/** The first issue becomes the sentence; the others follow. */
function parse(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const sentences = result.error.issues.slice(0, 10).map((issue) => sentenceOf(issue));
  const first = result.error.issues[0];
  const field = first === undefined ? undefined : innermost(first).path.at(-1);
  throw new Problem('invalid', (first && ownCode(first)) ?? 'request.invalid', sentences[0]!, {
    ...(field === undefined ? {} : { field: String(field) }),
    others: sentences.slice(1),
  });
}

function ownCode(issue: z.core.$ZodIssue): string | undefined {
  return issue.code === 'custom' && typeof issue.params?.code === 'string' ? issue.params.code : undefined;
}

function sentenceOf(outer: z.core.$ZodIssue): string {
  if (ownCode(outer) !== undefined) return outer.message;
  const issue = innermost(outer);
  const where = issue.path.map(String).join('.');
  if (where === '') return 'The body must be a JSON object.';
  const isMissing =
    (issue.code === 'invalid_type' || issue.code === 'invalid_union') &&
    issue.input === undefined &&
    /undefined/.test(issue.message);
  if (isMissing) return `The field "${where}" is missing.`;
  return `The field "${where}" is not valid: ${issue.message.replace(/^Invalid input: /, '').replace(/\.$/, '')}.`;
}

/** For a union: the issue inside the form that was most likely meant. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const meant = issue.errors.find((branch) => (branch[0]?.path.length ?? 0) > 0)?.[0];
  return meant === undefined ? issue : innermost({ ...meant, path: [...issue.path, ...meant.path] });
}

export function idempotencyKey(exchange: Exchange, name: string, request: () => unknown): IdempotencyKey | null {
  const header = exchange.raw.headers['idempotency-key'];
  if (header === undefined) return null;
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw new Problem('invalid', 'idempotency.bad_key', 'An Idempotency-Key has 1 to 255 visible characters.');
  }
  return { key: `${name} ${header}`, request: request() };
}
