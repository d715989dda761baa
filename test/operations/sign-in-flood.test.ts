// Two workers under a flood of sign-ins from one network: other networks do not wait, and attempts count over both
// processes.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases } from '#test/kit/engines.ts';
import { until } from '#test/kit/eventually.ts';
import { createInstallation, type Installation } from '#test/kit/program.ts';

const password = 'seven lamps under a quiet river';
const root = 'root@example.com';
const attempts = 64;

for (const engine of databases)
  describe(`64 simultaneous sign-ins from one network (${engine.name})`, () => {
    let place: Installation;
    before(async () => {
      place = await createInstallation(engine, {
        WAYBILL_WORKERS: '2',
        WAYBILL_TRUST_PROXY: 'loopback',
        WAYBILL_ADMIN_PASSWORD: password,
      });
      await place.start();
    });
    after(() => place?.drop());

    const signIn = async (email: string, typed: string, network: string): Promise<number> => {
      const reply = await fetch(`${place.url}/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': network },
        body: JSON.stringify({ user: { email, password: typed } }),
      });
      await reply.arrayBuffer();
      return reply.status;
    };

    test('let a correct password from elsewhere pass after a few of them', async () => {
      let answered = 0;
      const flood = Array.from({ length: attempts }, (_, number) =>
        signIn(`nobody${number}@example.com`, password, '192.0.2.1').then((status) => {
          answered += 1;
          return status;
        }),
      );
      // All of them have arrived when the first is answered.
      await until(async () => answered > 0);
      const before = answered;
      assert.equal(await signIn(root, password, '192.0.2.2'), 200);
      // Each process checks two at a time; the answer takes a moment.
      assert.ok(answered - before <= 16, `${answered - before} of ${attempts - before} were answered before`);
      assert.ok((await Promise.all(flood)).every((status) => status === 401 || status === 429));
    });

    test('count over both processes', async () => {
      // The flood has locked its network for all names.
      assert.equal(await signIn(root, password, '192.0.2.1'), 401);
      assert.equal(await signIn(root, password, '192.0.2.3'), 200);
      const wrong = Array.from({ length: 12 }, () => signIn(root, 'wrong', '192.0.2.4'));
      assert.deepEqual(new Set(await Promise.all(wrong)), new Set([401]));
      assert.equal(await signIn(root, password, '192.0.2.4'), 401);
      assert.equal(await signIn(root, password, '192.0.2.5'), 200);
    });
  });
