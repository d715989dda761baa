// The client: addresses, bodies, refusals, and that its table is the contract's.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ClientProblem, createClient } from './client.ts';
import { type Endpoint, endpoints } from './endpoints.ts';
import { routes } from './routes.gen.ts';

interface Seen {
  url: string;
  init: RequestInit;
}

function clientThat(answer: () => Response) {
  const seen: Seen[] = [];
  const client = createClient({
    baseUrl: 'https://files.example.com',
    headers: () => ({ 'x-csrf-token': 'token' }),
    fetch: async (url, init) => {
      seen.push({ url: String(url), init: init ?? {} });
      return answer();
    },
  });
  return { client, seen };
}

describe('the client', () => {
  test('knows every call of the contract by method and path, and no other', () => {
    const expected = (Object.entries(endpoints) as [string, Endpoint][]).map(([name, { method, path }]) => [
      name,
      method,
      path,
    ]);
    assert.deepEqual(
      Object.entries(routes).map(([name, [method, path]]) => [name, method, path]),
      expected,
    );
  });

  test('a refusal becomes a problem with its sentence, code, field, request id and waiting time', async () => {
    const body = { errors: ['Too fast.', 'Really.'], code: 'request.too_many', field: 'x', request_id: 'r1' };
    const { client } = clientThat(
      () => new Response(JSON.stringify(body), { status: 429, headers: { 'retry-after': '7' } }),
    );
    const problem = await client.getMe().catch((error: unknown) => error);
    assert.ok(problem instanceof ClientProblem);
    assert.deepEqual(
      [problem.status, problem.code, problem.sentence, problem.field, problem.requestId, problem.retryAfterSeconds],
      [429, 'request.too_many', 'Too fast.', 'x', 'r1', 7],
    );
  });

  test('an answer that is not ours, and no answer at all, are problems without a sentence', async () => {
    const strange = await clientThat(() => new Response('<h1>Bad gateway</h1>', { status: 502 }))
      .client.getMe()
      .catch((error: unknown) => error as ClientProblem);
    assert.ok(strange instanceof ClientProblem);
    assert.deepEqual([strange.status, strange.code, strange.sentence], [502, 'network.unexpected', '']);
    const silent = await clientThat(() => {
      throw new TypeError('failed');
    })
      .client.getMe()
      .catch((error: unknown) => error as ClientProblem);
    assert.ok(silent instanceof ClientProblem);
    assert.deepEqual([silent.status, silent.code], [0, 'network.unreachable']);
  });

  test('giving a call up is not a problem of the network', async () => {
    const stop = new AbortController();
    stop.abort(new Error('left the page'));
    const { client } = clientThat(() => {
      throw stop.signal.reason;
    });
    await assert.rejects(client.getMe({ signal: stop.signal }), /left the page/);
  });

  test('parameters are encoded, absent query members left out, bodies sent as JSON with the headers of the moment', async () => {
    const { client, seen } = clientThat(() => new Response('{"message":{}}'));
    await client.revokeRecipient({ params: { id: 'a', address: 'b/c@example.com' }, body: {} });
    await client.listSentMessages({ query: { q: 'ä & b', page: 2, state: undefined } });
    assert.equal(seen[0]!.url, 'https://files.example.com/app-api/messages/a/recipients/b%2Fc%40example.com/revoke');
    assert.equal(seen[0]!.init.method, 'POST');
    assert.equal(seen[0]!.init.body, '{}');
    assert.deepEqual(seen[0]!.init.headers, {
      accept: 'application/json',
      'content-type': 'application/json',
      'x-csrf-token': 'token',
    });
    assert.equal(seen[1]!.url, 'https://files.example.com/app-api/messages?q=%C3%A4+%26+b&page=2');
    assert.equal(seen[1]!.init.body, undefined);
  });

  test('an empty answer is nothing, bytes are the response itself', async () => {
    const { client } = clientThat(() => new Response(''));
    assert.equal(await client.deleteMessageAttachments({ params: { id: 'a' } }), undefined);
    const bytes = await client.getMessageFile({ params: { id: 'a', attachment: 'b', token: 'c', filename: 'd' } });
    assert.ok(bytes instanceof Response);
  });
});
