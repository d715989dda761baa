import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Fault } from '../transfer/fake-server.fixture.ts';
import { type Kit, sourceOf, startKit } from '../transfer/kit.fixture.ts';
import { startPatience } from './patience.ts';

const patienceMs = 300_000;

function watched(fault: (chunk: number | null) => Fault | null): Kit & { hasGivenUp(): boolean } {
  const kit = startKit({ fault: ({ chunk }) => fault(chunk) });
  let hasGivenUp = false;
  const patience = startPatience(kit.clock, patienceMs, () => (hasGivenUp = true));
  kit.transfers.listen((event) => patience.note(event, kit.transfers.totals().sentBytes));
  return { ...kit, hasGivenUp: () => hasGivenUp };
}

describe('a command whose upload does not get on', () => {
  it('gives up on a server that refuses every attempt after its first bytes', async () => {
    const kit = watched((chunk) =>
      chunk === 2 ? { is: 'answer', status: 503, headers: { 'Retry-After': '60' } } : null,
    );
    kit.transfers.add(sourceOf('a', 95));
    await kit.clock.advance(patienceMs - 1);
    assert.equal(kit.hasGivenUp(), false);
    await kit.clock.advance(patienceMs / 5 + 1_000);
    assert.ok(kit.chunks('a').filter((chunk) => chunk === 2).length > 3);
    assert.equal(kit.hasGivenUp(), true);
  });

  it('starts its time limit again with each chunk that arrives', async () => {
    let refusals = 0;
    const kit = watched(() =>
      refusals++ % 6 === 5 ? null : { is: 'answer', status: 503, headers: { 'Retry-After': '40' } },
    );
    kit.transfers.add(sourceOf('a', 95));
    for (let minutes = 0; minutes < 60 && kit.file('file-1').state !== 'ready'; minutes += 1)
      await kit.clock.advance(60_000);
    assert.equal(kit.file('file-1').state, 'ready');
    assert.equal(kit.hasGivenUp(), false);
  });

  it('waits no longer for a server that is silent', async () => {
    const kit = watched(() => ({ is: 'silence' }));
    kit.transfers.add(sourceOf('a', 95));
    await kit.clock.advance(patienceMs * 1.2);
    assert.equal(kit.hasGivenUp(), true);
  });
});
