import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import type { StoreState } from '#server/domain/ports.ts';
import { createInstallationMetrics } from '#server/installation/metrics.ts';
import { onEachEngine, type TestApp } from '#test/kit/app.ts';
import { isBehindNginx } from '#test/kit/outside.ts';
import { rawBytes, rawRequest } from '#test/kit/raw-requests.ts';
import { useApp } from '#test/kit/use-app.ts';
import { Visitor } from '#test/kit/visitor.ts';

onEachEngine('probes', (start) => {
  let app: TestApp;
  let state: StoreState | Error = 'healthy';
  before(async () => {
    app = await start({
      wrapVault: (vault) => ({
        ...vault,
        async state() {
          if (state instanceof Error) throw state;
          return state;
        },
      }),
    });
  });
  after(() => app.close());

  const ready = () => rawRequest(`${app.url}/readyz`);

  test('the process answers, whatever happens to its dependencies', async () => {
    state = new Error('the store burns');
    const reply = await rawRequest(`${app.url}/healthz`);
    state = 'healthy';
    assert.equal(reply.status, 200);
    assert.equal(reply.text, '{"status":"ok"}');
  });

  test('a failing store makes it not ready, with the name of the check and nothing more', async () => {
    for (const [failure, failing] of [
      ['unreachable', ['storage']],
      ['read_only', ['storage']],
      [new Error('secret path /var/lib/x'), ['storage']],
      ['no_uploads', ['free space']],
    ] as const) {
      state = failure;
      const reply = await ready();
      assert.equal(reply.status, 503);
      assert.deepEqual(reply.body, { status: 'not ready', failing });
    }
    state = 'healthy';
    assert.deepEqual((await ready()).body, { status: 'ready' });
  });

  test('the metrics include readiness, and the other values either way', async () => {
    const readiness = async () => {
      const metrics = await createInstallationMetrics(app.app.ctx)();
      const read = (name: string) => metrics.find((figure) => figure.name === name)?.samples[0]?.[1];
      return [read('waybill_ready'), read('waybill_links_active')];
    };
    assert.deepEqual(await readiness(), [1, 0]);
    state = 'read_only';
    assert.deepEqual(await readiness(), [0, 0]);
    state = 'healthy';
    assert.deepEqual(await readiness(), [1, 0]);
  });

  test('tables with additions of a newer version leave it ready; removed ones that it needs do not', async () => {
    const { db } = app.app.ctx;
    const add = (name: string, needs: string | null) =>
      db.write((tx) =>
        sql`insert into migrations (name, applied_at, needs, version) values (${name}, 1, ${needs}, '9.8.7')`.execute(
          tx,
        ),
      );
    await add('9000-more', null);
    await add('9001-less', '0001-baseline');
    assert.deepEqual((await ready()).body, { status: 'ready' });
    await add('9002-much-less', '9000-more');
    assert.deepEqual((await ready()).body, { status: 'not ready', failing: ['migrations'] });
    await db.write((tx) => sql`delete from migrations where name = '9002-much-less'`.execute(tx));
    assert.deepEqual((await ready()).body, { status: 'ready' });
  });

  test('pending migrations make it not ready', async () => {
    await app.app.ctx.db.write((tx) => sql`delete from migrations`.execute(tx));
    const reply = await ready();
    assert.equal(reply.status, 503);
    assert.deepEqual(reply.body, { status: 'not ready', failing: ['migrations'] });
  });

  test('a database that does not answer is named, and the process stays', async (context) => {
    context.mock.method(app.app.ctx.db, 'ping', async () => {
      throw new Error('connection refused to postgres://user:password@db');
    });
    const reply = await ready();
    assert.equal(reply.status, 503);
    assert.ok((reply.body as { failing: string[] }).failing.includes('database'));
    assert.ok(!reply.text.includes('password'));
    assert.equal((await rawRequest(`${app.url}/healthz`)).status, 200);
  });

  test('probes are answered under any host name, without credentials', async () => {
    for (const path of ['/healthz', '/readyz'])
      assert.notEqual((await rawRequest(`${app.url}${path}`, { headers: { host: '10.1.2.3:8080' } })).status, 421);
  });
});

onEachEngine('requests to any address', (start) => {
  const app = useApp(start);

  const key = () => ({ authorization: `Bearer ${app.admin.key}`, accept: 'application/json' });

  describe('addresses and methods', () => {
    test('an unknown path is 404 with the error body, for every method', async () => {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND']) {
        const reply = await rawRequest(`${app.url}/no/such/thing`, { method, headers: key() });
        assert.equal(reply.status, 404, method);
        assert.equal((reply.body as { code: string }).code, 'request.not_found');
      }
    });

    test('another method at a known path is 405 and names the right ones', async () => {
      for (const [method, path, allowed] of [
        ['DELETE', '/account', /^GET, POST$|^POST, GET$/],
        ['PATCH', '/link', /GET.*POST|POST.*GET/],
        ['POST', '/downloads', /^GET$/],
        ['GET', '/login', /^POST$/],
        ['GET', '/link/x/update_expires_at', /^PUT$/],
        ['GET', '/attachments/x', /^DELETE$/],
        ['POST', '/healthz', /^GET$/],
      ] as const) {
        const reply = await rawRequest(`${app.url}${path}`, { method, headers: key() });
        assert.equal(reply.status, 405, `${method} ${path}`);
        assert.match(reply.headers.allow!, allowed);
        assert.equal((reply.body as { code: string }).code, 'request.method_not_allowed');
      }
    });

    test('no GET deletes, under any of the old names', async () => {
      for (const path of ['/link/x/delete', '/attachments/x/delete', '/message/x/delete_attachments'])
        assert.ok([404, 405].includes((await rawRequest(`${app.url}${path}`, { headers: key() })).status), path);
    });

    test('OPTIONS answers 204 and permits nothing to foreign pages', async () => {
      for (const path of ['/account', '/link', '/nowhere', '/']) {
        const reply = await rawRequest(`${app.url}${path}`, {
          method: 'OPTIONS',
          headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
        });
        assert.equal(reply.status, 204);
        assert.deepEqual(
          Object.keys(reply.headers).filter((name) => name.startsWith('access-control')),
          [],
        );
      }
    });

    test('HEAD answers like GET without a body', async () => {
      for (const path of ['/account', '/healthz', '/openapi.json', '/']) {
        const get = await rawRequest(`${app.url}${path}`, { headers: key() });
        const head = await rawRequest(`${app.url}${path}`, { method: 'HEAD', headers: key() });
        assert.equal(head.status, get.status, path);
        assert.equal(head.bytes.length, 0);
        assert.equal(head.headers['content-type'], get.headers['content-type']);
      }
    });

    test('the absolute form of the target works, with and without a query', async () => {
      const { host } = new URL(app.url);
      for (const [target, status] of [
        [`${app.url}/account`, 200],
        [`${app.url}/link?limit=1`, 200],
        [`http://${host}`, 200],
        [`${app.url}/nowhere`, 404],
      ] as const) {
        const answer = await rawBytes(
          app.url,
          `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\nAuthorization: Bearer ${app.admin.key}\r\nConnection: close\r\n\r\n`,
        );
        assert.ok(answer.startsWith(`HTTP/1.1 ${status} `), `${target}: ${answer.slice(0, 100)}`);
      }
    });

    test('a doubled slash in the middle is another address', async () => {
      const path = '/account//api_key';
      assert.equal((await rawRequest(`${app.url}${path}`, { headers: key() })).status, 404, path);
    });
  });

  describe('a foreign Host', () => {
    test('is 421, for any target and any key', async () => {
      for (const host of [
        'evil.example',
        'localhost.evil.example',
        '127.0.0.1.evil.example:80',
        '8.8.8.8',
        '[::2]',
        // nginx itself refuses what cannot be a name.
        ...(isBehindNginx ? [] : ['a b']),
      ])
        for (const path of ['/account', '/link', '/', '/setup', '/nowhere']) {
          const reply = await rawRequest(`${app.url}${path}`, { headers: { ...key(), host } });
          assert.equal(reply.status, 421, `${host}${path}`);
          assert.equal((reply.body as { code: string }).code, 'request.foreign_host');
          assert.ok(!reply.text.includes('evil'), 'the host is not repeated');
        }
    });

    test('in the absolute form of the target is 421 too', async () => {
      const { host } = new URL(app.url);
      const answer = await rawBytes(
        app.url,
        `GET http://evil.example/account HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\nAuthorization: Bearer ${app.admin.key}\r\nConnection: close\r\n\r\n`,
      );
      assert.ok(answer.startsWith('HTTP/1.1 421 '), answer.slice(0, 100));
    });

    test('never appears in an address that we return', async () => {
      const attachment = await app.admin.upload('a.txt', 'x');
      const reply = await rawRequest(`${app.url}/link`, {
        method: 'POST',
        headers: { ...key(), 'content-type': 'application/json', 'x-forwarded-host': 'evil.example' },
        body: JSON.stringify({ link: { attachment: attachment.id } }),
      });
      assert.ok((reply.body as { link: { url: string } }).link.url.startsWith(`${app.url}/link/`));
    });

    test('is not checked for other names of this machine when it serves this machine only', async () => {
      const { port } = new URL(app.url);
      for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, '127.0.0.5'])
        assert.equal((await rawRequest(`${app.url}/account`, { headers: { ...key(), host } })).status, 200, host);
    });
  });

  describe('malformed requests', () => {
    const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
    const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as { errors: string[] };

    test('get an answer with the error body where possible', async () => {
      const { host } = new URL(app.url);
      for (const [bytes, status] of [
        ['nonsense\r\n\r\n', 400],
        [`GET / HTTP/1.1\r\nHost: ${host}\r\nBad Header\r\n\r\n`, 400],
        [`GET / HTTP/1.1\r\nHost: ${host}\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
        [`POST /login HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`, 400],
        [`POST /login HTTP/1.1\r\nHost: ${host}\r\nContent-Length: -5\r\n\r\n`, 400],
        ['GET /account HTTP/1.1\r\nAccept: application/json\r\nConnection: close\r\n\r\n', 400],
        [`GET /account HTTP/1.1\r\nHost: ${host}\r\nExpect: tea\r\nConnection: close\r\n\r\n`, 417],
      ] as const) {
        const answer = await rawBytes(app.url, bytes);
        assert.equal(statusOf(answer), status, JSON.stringify(bytes.slice(0, 60)));
        assert.ok(Array.isArray(bodyOf(answer).errors), answer);
      }
      await app.admin.expect(200, 'getAccount');
    });

    test('with an address that cannot be decoded, or is too long, are 404', async () => {
      for (const path of [
        '/link/%',
        '/link/%zz',
        '/%ff',
        '/link/%c3%28',
        `/link/${'x'.repeat(3000)}`,
        '/link/%E0%A4%A',
      ]) {
        const reply = await rawRequest(`${app.url}${path}`, { headers: key() });
        assert.equal(reply.status, 404, path.slice(0, 40));
        assert.ok(Array.isArray((reply.body as { errors: unknown }).errors), reply.text);
      }
      assert.equal((await new Visitor(app.url).get('/link/%ff')).status, 404);
    });
  });

  test('from crawlers are refused', async () => {
    const reply = await rawRequest(`${app.url}/robots.txt`);
    assert.equal(reply.text, 'User-agent: *\nDisallow: /\n');
  });

  test('get an answer with a request id, each time another', async () => {
    const ids = new Set<string>();
    for (const path of ['/account', '/nowhere', '/link/x', '/healthz']) {
      const reply = await rawRequest(`${app.url}${path}`, { headers: key() });
      const id = reply.headers['x-request-id'] as string;
      assert.ok(id.length >= 10, path);
      if (reply.status >= 400) assert.equal((reply.body as { request_id: string }).request_id, id);
      ids.add(id);
    }
    assert.equal(ids.size, 4);
  });
});

onEachEngine('a public address', (start) => {
  test('is the only Host that is answered, over a proxy or this machine only', async () => {
    const app = await start({ environment: { WAYBILL_BASE_URL: 'https://files.example.com' } });
    try {
      const ask = (host: string) =>
        rawRequest(`${app.url}/account`, {
          headers: { host, accept: 'application/json', authorization: `Bearer ${app.admin.key}` },
        });
      for (const host of ['localhost', new URL(app.url).host, 'example.com', 'files.example.com:444'])
        assert.equal((await ask(host)).status, 421, host);
      assert.equal((await ask('files.example.com')).status, 200);
      const page = await rawRequest(`${app.url}/`, { headers: { host: 'files.example.com', accept: 'text/html' } });
      assert.match(page.headers['strict-transport-security'] as string, /max-age=31536000/);
    } finally {
      await app.close();
    }
  });
});
