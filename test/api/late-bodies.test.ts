import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { basic, dial, head } from '#test/kit/raw-http.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

onEachDatabase('a body that arrives late', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });

  /** Sends all but the last byte, runs `between` after the service has authenticated the caller, and sends the rest. */
  async function held(who: ApiClient, requestLine: string, body: object, between: () => Promise<unknown>) {
    const text = JSON.stringify(body);
    const line = await dial(app.url);
    const headers = [
      basic(who.key),
      'Content-Type: application/json',
      `Content-Length: ${text.length}`,
      'Expect: 100-continue',
    ];
    await line.write(head(app.url, requestLine, headers));
    // The service sends 100 Continue only after it has authenticated the caller.
    assert.equal((await line.reply()).status, 100);
    await line.write(text.slice(0, -1));
    await between();
    await line.write(text.slice(-1));
    const reply = await line.reply();
    line.cut();
    return reply;
  }

  const switchOff = (who: ApiClient) => async () => {
    await app.admin.expect(200, 'changeUser', { params: { id: idOf(who) }, body: { user: { disabled: true } } });
    app.clock.advance(1001);
  };

  test('creates no administrator for a caller who was disabled before it was complete', async () => {
    const boss = await newPerson(app, 'boss', { group: 'system-administrators' });
    const user = {
      email: 'accomplice@example.com',
      group: 'system-administrators',
      password: 'seven lamps under a quiet river',
    };
    const reply = await held(boss, 'POST /admin/users', { user }, switchOff(boss));
    assert.equal(reply.status, 401, reply.text);
    const found = await app.app.ctx.db.read.selectFrom('users').select('id').where('email', '=', user.email).execute();
    assert.deepEqual(found, []);
  });

  test('sends no message for a caller who was disabled before it was complete', async () => {
    const alice = await newPerson(app, 'alice');
    const message = { recipients: ['ben@harbour.example'], subject: 'Too late', message: 'x', send_email: false };
    const reply = await held(alice, 'POST /message', { message }, switchOff(alice));
    assert.equal(reply.status, 401, reply.text);
    assert.deepEqual(await app.app.ctx.db.read.selectFrom('messages').select('id').execute(), []);
  });

  test('is accepted from a caller who may still act, however long it took', async () => {
    const carla = await newPerson(app, 'carla');
    const message = { recipients: ['ben@harbour.example'], subject: 'In time', message: 'x', send_email: false };
    const wait = async () => app.clock.advance(10_000);
    const reply = await held(carla, 'POST /message', { message }, wait);
    assert.equal(reply.status, 200, reply.text);
  });
});
