// Whoever holds back the body of a request until their right is gone has lost it for that request too.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { basic, dial, head } from '#test/kit/raw-http.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

onEachDatabase('a body that is held back', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });

  /** Sends all but the last byte, waits until the service has seen whose it is, and sends the rest after `between`. */
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
    // The service asks for the body only after it knows who sends it.
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

  test('makes no administrator for one who was switched off meanwhile', async () => {
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

  test('sends no message for one who was switched off meanwhile', async () => {
    const alice = await newPerson(app, 'alice');
    const message = { recipients: ['ben@harbour.example'], subject: 'Too late', message: 'x', send_email: false };
    const reply = await held(alice, 'POST /message', { message }, switchOff(alice));
    assert.equal(reply.status, 401, reply.text);
    assert.deepEqual(await app.app.ctx.db.read.selectFrom('messages').select('id').execute(), []);
  });

  test('is taken from one who may still act, however long it took', async () => {
    const carla = await newPerson(app, 'carla');
    const message = { recipients: ['ben@harbour.example'], subject: 'In time', message: 'x', send_email: false };
    const wait = async () => app.clock.advance(10_000);
    const reply = await held(carla, 'POST /message', { message }, wait);
    assert.equal(reply.status, 200, reply.text);
  });
});
