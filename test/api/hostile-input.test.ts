import assert from 'node:assert/strict';
import { afterEach, before, test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { wireShape } from '#contract/codec.ts';
import { type Endpoint, endpoints } from '#contract/endpoints.ts';
import { problem } from '#contract/problems.ts';
import { errorSchema } from '#server/http/scim/resources.ts';
import { anyText } from '#test/kit/any-text.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { type ApiClient, strictly } from '#test/kit/client.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { extremeJson, extremeTexts, placesIn, plausible, putInto, type Shape } from '#test/kit/extremes.ts';
import {
  brokenBodies,
  contentTypes,
  hostileJson,
  hostilePathPart,
  hostileQuery,
  hostileText,
} from '#test/kit/hostile.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { isBehindNginx } from '#test/kit/outside.ts';
import { ask, basic } from '#test/kit/raw-http.ts';
import { rawRequest } from '#test/kit/raw-requests.ts';
import { referenceOf } from '#test/kit/references.ts';
import { idOf, newPerson, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { Visitor } from '#test/kit/visitor.ts';

/** An event stream never ends; it has its own tests. */
const isEndless = (path: string) =>
  Object.values<Endpoint>(endpoints).some((endpoint) => endpoint.answer === 'events' && endpoint.path === path);
/** Maintenance would turn every later reply into a 503, and the connection test calls the service itself. */
/** RFC 7644, section 3.12. */
const scimError = z.strictObject({
  schemas: z.tuple([z.literal(errorSchema)]),
  status: z.string(),
  detail: z.string(),
  scimType: z.string().optional(),
});
const hasOwnTests = new Set(['beginMaintenance', 'testConnection']);
const all = (Object.entries(endpoints) as [string, Endpoint][]).filter(
  ([name, { path }]) => !isEndless(path) && !hasOwnTests.has(name),
);
const jsonCalls = all.filter(([, { body }]) => body !== undefined && typeof body !== 'string');

onEachDatabase('hostile input', (start, engine) => {
  const app = useApp(start);
  /** Has the highest rank, so that requests are not refused before their input is read. */
  let sender: ApiClient;
  let realIds: string[];
  before(async () => {
    sender = app.admin;
    const group = await app.group('Victims');
    await newPerson(app, 'victim', { group });
    const { linkId, attachmentId } = await share(sender);
    realIds = [linkId, attachmentId, group, 'victim-example-com', 'victim@example.com'];
  });
  afterEach(async () => {
    assert.equal((await rawRequest(`${app.url}/healthz`)).status, 200);
    await sender.expect(200, 'getAccount');
    await sender.expect(200, 'listUsers');
    await sender.expect(200, 'listGroups');
    await sender.expect(200, 'listFileLinks');
  });

  /** Sends a request and checks what holds for every answer. */
  const send = async (
    method: string,
    target: string,
    options: { headers?: Record<string, string>; body?: string | Buffer<ArrayBuffer> } = {},
  ): Promise<number> => {
    const reply = await sender.fetch(target, {
      method,
      headers: { accept: 'application/json', ...options.headers },
      ...(options.body === undefined ? {} : { body: options.body }),
    });
    const what = `${method} ${target.slice(0, 200)} ${JSON.stringify(options).slice(0, 500)}`;
    assert.ok(reply.status < 500, `${what} answered ${reply.status}: ${reply.text}`);
    // nginx itself refuses what cannot be an address.
    if (reply.status >= 400 && !(isBehindNginx && reply.text.includes('<center>nginx/'))) {
      const result = reply.text.includes(errorSchema)
        ? scimError.safeParse(JSON.parse(reply.text))
        : strictly(problem).safeParse(reply.body);
      assert.ok(result.success, `${what} answered ${reply.status}: ${reply.text}`);
    }
    return reply.status;
  };
  /** Input that is refused before any database query is tested on one database. */
  const testEdge = engine === sqliteAndDisk ? test : () => {};
  const pathOf = (endpoint: Endpoint, part: string) => endpoint.path.replace(/:\w+/g, () => part);
  const realOrHostile = () => fc.oneof(fc.constantFrom(...realIds), hostilePathPart);

  test('as unusual JSON in the shape of what is expected is refused', async () => {
    for (const [, endpoint] of jsonCalls) {
      await fc.assert(
        fc.asyncProperty(hostileJson(endpoint.body as z.ZodType), realOrHostile(), async (body, id) => {
          await send(endpoint.method, pathOf(endpoint, id), { headers: { 'content-type': 'application/json' }, body });
        }),
        { numRuns: 25, endOnFailure: true },
      );
    }
  });

  /** One existing item of each kind, by the words in the paths of calls and the names of fields. */
  const makeThings = async () => {
    const name = `person${things++}`;
    const person = await newPerson(app, name);
    const { linkId, attachmentId } = await share(sender);
    const { id: message } = await sendMessage(sender, {
      recipients: ['ben@harbour.example'],
      attachments: [attachmentId],
    });
    const asked = { recipient: 'ben@harbour.example', subject: 'Plans', message: 'Please.' };
    const { body } = await sender.expect(200, 'createFileRequest', { body: { request: asked } });
    const request = (body as { request: { id: string } }).request.id;
    const group = await app.group(name);
    const user = idOf(person);
    const { reference } = await referenceOf(app, message);
    const drop = ((await sender.expect(200, 'getAccount')).body as { user: { filedrop_url: string } }).user
      .filedrop_url;
    const places: [RegExp, string][] = [
      [/link/i, linkId],
      [/request/, request],
      [/transfers/, reference],
      [/message|received/, message],
      [/attachment/, attachmentId],
      [/people|users/, user],
      [/groups/, group],
      [/filedrop/, drop.split('/').at(-1)!],
      [/mail_templates/, 'message'],
      [/jobs/, 'tidy'],
    ];
    const known: Record<string, Shape[]> = {
      attachment: [attachmentId],
      attachments: [[attachmentId]],
      recipient: ['ben@harbour.example'],
      address: ['ben@harbour.example'],
      email: [person.email],
      user: [user],
      person: [user],
      new_owner: [user],
      group: [group, { storage_quota: 1 }],
      id: [message],
      ids: [[user], [reference]],
      target: [user],
    };
    const pathTo = ({ path }: Endpoint) => {
      const own = places.find(([words]) => words.test(path))?.[1] ?? 'x';
      return path
        .replace(/:address/, 'ben@harbour.example')
        .replace(/:(?:attachment|file)\b/, attachmentId)
        .replace(/:\w+/g, own);
    };
    return { pathTo, known };
  };
  let things = 0;
  /** Sends many requests, some concurrently. */
  const sendAll = async (sends: Iterable<() => Promise<unknown>>) => {
    const iterator = sends[Symbol.iterator]();
    const worker = async () => {
      for (let next = iterator.next(); !next.done; next = iterator.next()) await next.value();
    };
    await Promise.all(Array.from({ length: 8 }, worker));
  };

  test('as extreme dates, numbers and texts in every parameter is refused', async () => {
    const { pathTo } = await makeThings();
    function* sends() {
      for (const [, endpoint] of all)
        for (const name of Object.keys(wireShape(endpoint.query)))
          for (const text of extremeTexts)
            for (const companions of companionsOf(name, endpoint)) {
              const values = { ...companions, [name]: text.toWellFormed() };
              // The contract refuses it before any other code runs.
              if (engine !== sqliteAndDisk && !endpoint.query!.safeParse(values).success) continue;
              const bytes = endpoint.method === 'GET' ? {} : { body: 'x' };
              yield () => send(endpoint.method, `${pathTo(endpoint)}?${new URLSearchParams(values)}`, bytes);
            }
    }
    await sendAll(sends());
  });

  test('as extreme dates, numbers and texts in every field of every body is refused', async () => {
    for (const [, endpoint] of jsonCalls) {
      const { pathTo, known } = await makeThings();
      const schema = endpoint.body as z.ZodType;
      const path = pathTo(endpoint);
      function* sends() {
        for (const place of placesIn(plausible(schema, known)))
          for (const json of extremeJson) {
            const body = putInto(place, json);
            // The contract refuses it before any other code runs.
            if (isPermitted(schema, body))
              yield () => send(endpoint.method, path, { headers: { 'content-type': 'application/json' }, body });
          }
      }
      await sendAll(sends());
    }
  });

  test('as extreme numbers in headers is refused', async () => {
    const { pathTo } = await makeThings();
    const numbers = extremeTexts.filter((text) => /^-?\d+$/.test(text));
    const ends = numbers.flatMap((number) => [`bytes=${number}-`, `bytes=0-${number}`, `bytes=-${number}`]);
    const { linkId } = await share(sender);
    for (const range of ends) {
      const path = await new Visitor(app.url).clickDownload(linkId);
      assert.ok((await rawRequest(`${app.url}${path}`, { headers: { range } })).status < 500, range);
    }
    const limited = await newPerson(app, 'limited', { group: await app.group('Limited', { storage_quota: 1000 }) });
    const lengths = async (endpoint: Endpoint, type: string, who: ApiClient) => {
      for (const number of numbers) {
        const headers = [basic(who.key), `Content-Type: ${type}`, `Content-Length: ${number}`, 'Expect: 100-continue'];
        const { status } = await ask(app.url, `${endpoint.method} ${pathTo(endpoint)}?filename=a.txt`, headers);
        assert.ok(status < 500, `${endpoint.path} with a length of ${number}: ${status}`);
      }
    };
    for (const [, endpoint] of all) {
      if (endpoint.method === 'GET') continue;
      if (endpoint.body === 'bytes') await lengths(endpoint, 'application/octet-stream', limited);
      if (endpoint.body === 'bytes') await lengths(endpoint, 'multipart/form-data; boundary=x', limited);
      else if (engine === sqliteAndDisk) await lengths(endpoint, 'application/json', sender);
    }
  });

  testEdge('bodies that are no JSON, cut, deep, large, or in another encoding', async () => {
    for (const [name, endpoint] of jsonCalls) {
      for (const body of brokenBodies) {
        const status = await send(endpoint.method, pathOf(endpoint, 'x'), {
          headers: { 'content-type': 'application/json' },
          body,
        });
        // Where no field is required, a body without known fields changes nothing.
        const mayPass = (endpoint.body as z.ZodType).safeParse({}).success && saysNothing(String(body));
        const isRefused = [401, 403, 404, 413, 422].includes(status);
        assert.ok(isRefused || (mayPass && status === 200), `${name}: ${status} for ${String(body).slice(0, 50)}`);
      }
    }
  });

  testEdge('any content type at any call', async () => {
    for (const [number, [, endpoint]] of all.entries()) {
      if (endpoint.method === 'GET') continue;
      // Each upload is stored, so these calls share the types among them.
      const types =
        endpoint.body === 'bytes' ? contentTypes.filter((_, index) => index % 5 === number % 5) : contentTypes;
      for (const type of types)
        await send(endpoint.method, `${pathOf(endpoint, 'x')}?filename=a.txt`, {
          headers: { 'content-type': type },
          body: '{"user":{},"group":{},"link":{}}',
        });
    }
  });

  test('as unusual parts of addresses and queries is refused', async () => {
    const wholes = fc
      .constantFrom(...all.map(([, endpoint]) => endpoint))
      .chain((endpoint) =>
        fc.tuple(fc.constant(endpoint), realOrHostile(), hostileQuery(Object.keys(wireShape(endpoint.query)))),
      );
    await fc.assert(
      fc.asyncProperty(wholes, async ([endpoint, id, query]) => {
        const body = endpoint.method === 'GET' ? {} : { body: 'x' };
        await send(endpoint.method, `${pathOf(endpoint, id)}?${query}`, body);
      }),
      { numRuns: 400, endOnFailure: true },
    );
  });

  testEdge('every method at every path', async () => {
    const pages = new Set(
      app.app.routes.filter((route) => !route.kinds.includes('api')).map(({ method, path }) => `${method} ${path}`),
    );
    for (const path of new Set(app.app.routes.map((route) => route.path)))
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        if (method === 'GET' && isEndless(path)) continue;
        const target = path.replace(/:\w+/g, 'x');
        if (!pages.has(`${method} ${path}`)) await send(method, target);
        else assert.ok((await sender.fetch(target, { method })).status < 500, `${method} ${target}`);
      }
  });

  testEdge('strange headers, at calls, pages and downloads', async () => {
    const { linkId } = await share(sender);
    const visible = hostileText.map((text) => text.replace(/[^\x20-\x7e\x80-\xff]/g, '?'));
    const header = fc.oneof(
      visible,
      fc.constantFrom('bytes=0-', 'bytes=-', '"', 'W/"', 'gzip', 'chunked', '127.0.0.1', '*', ',,,', ';=;', '%%'),
    );
    const names = [
      'range',
      'if-range',
      'if-none-match',
      'if-modified-since',
      'accept',
      'accept-language',
      'accept-encoding',
      'cookie',
      'origin',
      'sec-fetch-site',
      'user-agent',
      'x-forwarded-for',
      'x-forwarded-host',
      'forwarded',
      'content-encoding',
      'content-type',
      'idempotency-key',
      'x-csrf-token',
      'referer',
      'authorization',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom(...names), header, { maxKeys: 5 }),
        fc.constantFrom('/account', `/link/${linkId}`, '/downloads', '/', '/setup', '/nowhere', 'file'),
        async (headers, place) => {
          const path = place === 'file' ? await new Visitor(app.url).clickDownload(linkId) : place;
          const reply = await rawRequest(`${app.url}${path}`, { headers });
          assert.ok(reply.status < 500, `${path} ${JSON.stringify(headers)}: ${reply.status}`);
          if (place === 'file')
            app.clock.advance(1000); // wrong keys are counted per minute
          else app.clock.advance(4000);
        },
      ),
      { numRuns: 100, endOnFailure: true },
    );
    app.clock.advance(10 * 60_000);
  });

  testEdge('strange forms on the pages', async () => {
    const { linkId } = await share(sender, { link: { password: 'open sesame' } });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(`/link/${linkId}/password`, `/link/${linkId}/download`, '/setup', '/link/x/password'),
        fc.oneof(
          hostileText.map((text) => `password=${encodeURIComponent(text.toWellFormed())}`),
          anyText({ maxLength: 200 }),
          fc.constantFrom('password=%ff%fe', 'password', '&&&&', '='.repeat(1000), 'password='.repeat(7000)),
        ),
        async (path, body) => {
          app.clock.advance(20 * 60_000);
          const reply = await rawRequest(`${app.url}${path}`, {
            method: 'POST',
            headers: {
              accept: 'text/html',
              'sec-fetch-site': 'same-origin',
              'content-type': 'application/x-www-form-urlencoded',
            },
            body,
          });
          assert.ok(reply.status < 500, `${path} ${JSON.stringify(body)}: ${reply.status}`);
        },
      ),
      { numRuns: 50, endOnFailure: true },
    );
  });

  test('leaves the rights of every role unchanged', async () => {
    const { body } = await sender.expect(200, 'listUsers');
    const { users } = body as { users: { email: string; role: string }[] };
    const root = users.find((user) => user.email === 'root@example.com')!;
    assert.equal(root.role, 'system_administrator');
    assert.equal(({} as Record<string, unknown>).isAdministrator, undefined, 'no prototype was changed');
  });
});

/** The other parameters that a parameter needs to be read, in turn. */
function companionsOf(name: string, { query }: Endpoint): Record<string, string>[] {
  const has = (one: string) => one in wireShape(query);
  const chunkQueries: Record<string, Record<string, string>> = {
    chunk: { chunks: '2', upload_id: 'new' },
    chunks: { chunk: '0', upload_id: 'new' },
  };
  if (has('filename')) return [{ filename: 'a.txt', ...chunkQueries[name] }];
  const other: Record<string, string> | null =
    name === 'to' ? { from: '1970-01-01' } : name === 'from' ? { to: '9999-12-31' } : null;
  if (other === null) return [{}];
  const zoned: Record<string, string> = { ...other, zone: 'Europe/Berlin' };
  return has('zone') ? [{}, other, zoned] : [{}, other];
}

function isPermitted(schema: z.ZodType, body: string): boolean {
  return schema.safeParse(JSON.parse(body)).success;
}

function saysNothing(text: string): boolean {
  const bare = text.trim(); // also without a byte order mark
  if (bare === '') return true;
  try {
    const value: unknown = JSON.parse(bare);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
