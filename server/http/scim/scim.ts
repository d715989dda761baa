// SCIM 2.0 (RFC 7644): the directory of the organisation creates, changes and removes people and groups.
import { MassChange, noteStop } from '../../actions/scim/brake.ts';
import { noteScimRefusal, type ScimCaller } from '../../actions/scim/scim-identity.ts';
import { isScimToken } from '../../actions/scim/tokens.ts';
import { Problem } from '../../domain/problem.ts';
import { parseJson } from '../../lib/json/json.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import { badScim, ScimFault } from '../../lib/scim/fault.ts';
import type { HttpDeps } from '../deps.ts';
import { keyOf } from '../identity/credentials.ts';
import { originOf } from '../identity/origins.ts';
import { describeFault } from '../transport/answers.ts';
import { decodeUtf8, drain, readAll, requireJsonType } from '../transport/body.ts';
import { refusalOf } from '../transport/problems.ts';
import type { Exchange, Router } from '../transport/router.ts';
import type { ScimAnswer, ServeScim } from './calls.ts';
import { serveScimGroups } from './groups.ts';
import { serveScimPeople } from './people.ts';
import { errorSchema, listSchema, providerConfig, resourceTypes, schemas } from './resources.ts';

const root = '/scim/v2';
const maxBodyBytes = 4 * 1024 * 1024;

export function serveScim(deps: HttpDeps, router: Router): void {
  const serve: ServeScim = (method, path, answer) =>
    router.api(method, `${root}${path}`, async (exchange) => {
      const base = `${deps.ctx.settings.surroundings.baseUrl}${root}`;
      try {
        const caller = await admit(deps, exchange);
        const query = new URLSearchParams(exchange.queryText);
        const { headers } = exchange.raw;
        const call = { deps, caller, id: exchange.params.id ?? '', query, headers, base };
        const answered = await answer({ ...call, readBody: () => readBody(exchange) });
        send(exchange, answered);
      } catch (error) {
        await refuse(deps, exchange, error);
      }
    });
  serveScimPeople(serve);
  serveScimGroups(serve);
  serveDescriptions(serve);
}

function serveDescriptions(serve: ServeScim): void {
  serve('GET', '/ServiceProviderConfig', async ({ base }) => ({ body: providerConfig(base) }));
  for (const [path, list] of [
    ['/ResourceTypes', resourceTypes],
    ['/Schemas', schemas],
  ] as const) {
    serve('GET', path, async ({ base }) => {
      const all = list(base);
      return { body: { schemas: [listSchema], totalResults: all.length, Resources: all } };
    });
    serve('GET', `${path}/:id`, async ({ base, id }) => {
      const found = list(base).find((one) => one.id === id);
      if (found === undefined) throw new ScimFault(404, 'There is no such resource.');
      return { body: found };
    });
  }
}

async function admit(deps: HttpDeps, exchange: Exchange): Promise<ScimCaller> {
  const from = originOf(deps, exchange);
  const isBearer = /^bearer /i.test(exchange.raw.headers.authorization ?? '');
  const token = isBearer ? keyOf(exchange.raw) : null;
  if (token !== null && (await isScimToken(deps.ctx, token))) return { kind: 'system', from };
  if (token !== null) {
    deps.meters.authFailed('api_key');
    const verdict = deps.limits.wrongKeys.hit(networkOf(from.address), deps.ctx.clock.now());
    const { retryAfterSeconds } = verdict.ok ? { retryAfterSeconds: 0 } : verdict;
    if (!verdict.ok) throw new ScimFault(429, 'Too many wrong tokens came from your address.', { retryAfterSeconds });
  }
  throw new ScimFault(401, 'The token is missing or not valid.');
}

async function readBody({ raw, response }: Exchange): Promise<unknown> {
  requireJsonType(raw, false);
  const text = decodeUtf8(await readAll(raw, response, maxBodyBytes));
  try {
    return parseJson(text === '' ? '{}' : text);
  } catch {
    throw badScim('invalidSyntax', 'The body is not valid JSON.');
  }
}

const headers = { 'content-type': 'application/scim+json; charset=utf-8', 'cache-control': 'no-store' };

function send({ response, requestId }: Exchange, { status = 200, body, etag, location }: ScimAnswer): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    ...(status === 204 || status === 304 ? {} : { 'content-length': Buffer.byteLength(text) }),
    ...(etag === undefined ? {} : { etag }),
    ...(location === undefined ? {} : { location }),
    'x-request-id': requestId,
  });
  response.end(text);
}

async function refuse(deps: HttpDeps, exchange: Exchange, error: unknown): Promise<void> {
  const { response, requestId, raw, signal } = exchange;
  const refused = error instanceof ScimFault ? error : faultOf(deps, exchange, error);
  if (refused.status !== 401 && refused.status !== 429 && raw.method !== 'GET') {
    const caller = { kind: 'system', from: originOf(deps, exchange) } as const;
    const noted = refused instanceof MassChange ? noteStop : noteScimRefusal;
    if (refused.status !== 500) await noted(deps.ctx, caller, refused as MassChange);
  }
  if (response.headersSent || signal.aborted) return void response.destroy();
  const body = {
    schemas: [errorSchema],
    detail: refused.message,
    status: String(refused.status),
    ...(refused.scimType === null ? {} : { scimType: refused.scimType }),
  };
  const text = JSON.stringify(body);
  response.writeHead(refused.status, {
    ...headers,
    'content-length': Buffer.byteLength(text),
    'x-request-id': requestId,
    ...(refused.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(refused.retryAfterSeconds === null ? {} : { 'retry-after': String(refused.retryAfterSeconds) }),
  });
  response.end(text);
  drain(raw);
}

function faultOf(deps: HttpDeps, { requestId }: Exchange, error: unknown): ScimFault {
  const { status, problem, fault } = refusalOf(error);
  if (fault !== null) deps.ctx.log.error({ requestId, err: describeFault(fault) }, 'a request failed because of a bug');
  const isInvalid = error instanceof Problem && status === 422;
  return new ScimFault(isInvalid ? 400 : status, problem.message, {
    type: isInvalid ? 'invalidValue' : null,
    retryAfterSeconds: problem.retryAfterSeconds ?? null,
  });
}
