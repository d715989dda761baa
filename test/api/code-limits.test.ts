import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type CodeRequest, requestCode } from '#server/actions/codes/codes.ts';
import { type Caller, systemCaller } from '#server/domain/caller.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { newNetwork, openDistantMailbox } from '#test/kit/distant-browser.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

interface Asking {
  address: string;
  target: `message:${string}`;
  network: string;
}

onEachDatabase('codes are limited', (start) => {
  const app = useApp(start, openDistantMailbox({ WAYBILL_ROLE: 'web' }).options);
  const alice = usePerson(app, 'alice');
  const targets: Asking['target'][] = [];
  let asked = 0;
  before(async () => {
    for (let count = 0; count < 12; count++)
      targets.push(`message:${(await sendMessage(alice, { recipients: ['ben@harbour.example'] })).id}`);
  });

  const newAddress = () => `person${++asked}@harbour.example`;
  /** Each request comes from another browser. */
  function ask({ address, target, network }: Asking): Promise<CodeRequest> {
    const caller: Caller = { ...systemCaller, from: { address: network, agent: '', requestId: '' } };
    return requestCode(app.app.ctx, caller, { target, address, nonce: `browser${++asked}` });
  }

  async function assertLimit(most: number, windowMs: number, next: (number: number) => Asking): Promise<void> {
    // Requests of earlier tests no longer count.
    app.clock.advance(2 * hourMs);
    for (let number = 0; number < most; number++)
      assert.deepEqual(await ask(next(number)), { is: 'asked' }, `code ${number + 1}`);
    assert.deepEqual(await ask(next(most)), { is: 'wait', seconds: windowMs / 1000 });
    app.clock.advance(windowMs - 1);
    assert.deepEqual(await ask(next(most)), { is: 'wait', seconds: 1 });
    app.clock.advance(1);
    assert.deepEqual(await ask(next(most)), { is: 'asked' });
  }

  test('to three in ten minutes for one address from one network, for any target', async () => {
    const [address, network] = [newAddress(), newNetwork()];
    await assertLimit(3, 10 * minuteMs, (number) => ({ address, network, target: targets[number]! }));
  });

  test('to three in ten minutes for one address and one message, from any network', async () => {
    const address = newAddress();
    await assertLimit(3, 10 * minuteMs, () => ({ address, network: newNetwork(), target: targets[0]! }));
  });

  test('to thirty in an hour for one address', async () => {
    const address = newAddress();
    await assertLimit(30, hourMs, (number) => ({
      address,
      network: newNetwork(),
      target: targets[Math.floor(number / 3)]!,
    }));
  });

  test('to twenty in an hour for one message', async () => {
    await assertLimit(20, hourMs, () => ({ address: newAddress(), network: newNetwork(), target: targets[0]! }));
  });

  test('to twenty in an hour from one network', async () => {
    const network = newNetwork();
    await assertLimit(20, hourMs, (number) => ({ address: newAddress(), network, target: targets[number % 2]! }));
  });

  test('for unknown targets too, by message and network, without blocking codes for other targets', async () => {
    app.clock.advance(2 * hourMs);
    const [address, network] = [newAddress(), newNetwork()];
    const unknown = (number: number) => `message:${String(number).padStart(22, '0')}` as const;
    for (let number = 0; number < 4; number++)
      assert.deepEqual(await ask({ address, network, target: unknown(number) }), { is: 'asked' });
    for (let number = 0; number < 3; number++)
      assert.deepEqual(await ask({ address, network, target: targets[number]! }), { is: 'asked' });
    assert.deepEqual(await ask({ address, network, target: targets[3]! }), { is: 'wait', seconds: 600 });
    for (let number = 0; number < 2; number++)
      assert.deepEqual(await ask({ address, network: newNetwork(), target: unknown(1) }), { is: 'asked' });
    assert.deepEqual(await ask({ address, network: newNetwork(), target: unknown(1) }), { is: 'wait', seconds: 600 });
  });
});
