// The files of the evidence log for caches and, where the operator publishes them, for everyone.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { sealAll } from '#server/actions/evidence/seal.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { appendEvents } from '#test/kit/evidence.ts';
import { useApp } from '#test/kit/use-app.ts';

for (const isPublic of [false, true])
  onOneEngine(`the files of the evidence log, ${isPublic ? 'published' : 'not published'}`, (start) => {
    const environment = { WAYBILL_ROLE: 'web', ...(isPublic ? { WAYBILL_EVIDENCE_PUBLIC: 'true' } : {}) };
    const app = useApp(start, { environment });
    before(async () => {
      await appendEvents(app.app.ctx, 600);
      await sealAll(app.app.ctx);
    });
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${app.url}/evidence${path}`, { headers: { 'accept-encoding': 'identity', ...headers } });
    const signedIn = () => ({ authorization: `Bearer ${app.admin.key}` });
    const published = ['/checkpoint', '/tile/0/000', '/tile/entries/001', '/keys'];

    test(`are ${isPublic ? 'open to everyone' : 'refused'} without sign-in, and nothing else of the log is open`, async () => {
      for (const path of published) assert.equal((await get(path)).status, isPublic ? 200 : 401, path);
      assert.equal((await get('')).status, 401);
      const body = JSON.stringify({ cosignature: { size: 1, key: 'k', line: 'l' } });
      const sent = await fetch(`${app.url}/evidence/cosignatures`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      });
      assert.equal(sent.status, 401);
    });

    test('are cached: full tiles for good, checkpoints and other tiles briefly, with validators', async () => {
      const whose = isPublic ? 'public' : 'private';
      for (const [path, expected] of [
        ['/checkpoint', `${whose}, max-age=5`],
        ['/tile/0/000', `${whose}, max-age=31536000, immutable`],
        ['/tile/entries/001', `${whose}, max-age=31536000, immutable`],
        ['/tile/0/002.p/5', `${whose}, max-age=5`],
      ] as const) {
        const { headers } = await get(path, signedIn());
        assert.equal(headers.get('cache-control'), expected, path);
        assert.equal(headers.get('vary')!.includes('Authorization'), !isPublic);
        const again = await get(path, { ...signedIn(), 'if-none-match': headers.get('etag')! });
        assert.deepEqual([again.status, await again.text()], [304, ''], path);
      }
    });

    test('are compressed where that helps, each encoding with its own validator', async () => {
      const plain = Buffer.from(await (await get('/tile/entries/000', signedIn())).arrayBuffer());
      const tags = new Set<string | null>();
      for (const [encoding, open] of [
        ['br', brotliDecompressSync],
        ['gzip', gunzipSync],
      ] as const) {
        const { headers, body } = await raw('/evidence/tile/entries/000', encoding);
        assert.equal(headers.get('content-encoding'), encoding);
        assert.ok(open(body).equals(plain));
        assert.ok(body.length < plain.length);
        tags.add(headers.get('etag'));
      }
      assert.equal(tags.size, 2);
      assert.equal((await raw('/evidence/tile/0/000', 'br')).headers.get('content-encoding'), null);
    });

    /** `fetch` decompresses. */
    async function raw(path: string, encoding: string): Promise<{ headers: Headers; body: Buffer }> {
      const { request } = await import('node:http');
      return new Promise((resolve, reject) => {
        const sent = request(app.url + path, { headers: { ...signedIn(), 'accept-encoding': encoding } }, (answer) => {
          const parts: Buffer[] = [];
          answer.on('data', (part: Buffer) => parts.push(part));
          answer.on('end', () =>
            resolve({ headers: new Headers(answer.headers as Record<string, string>), body: Buffer.concat(parts) }),
          );
        });
        sent.on('error', reject).end();
      });
    }
  });
