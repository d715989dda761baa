import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sampleMail, transportSuite } from '#server/mail/transport.suite.ts';
import { openMemoryTransport } from './mail-transport.ts';

transportSuite('memory', async () => {
  const transport = openMemoryTransport();
  return { transport, received: async () => transport.sent.map(({ mime }) => mime), dispose: () => transport.close() };
});

it('a memory transport returns the chosen results, and keeps only mails that it accepted', async () => {
  const transport = openMemoryTransport({ isReal: false });
  transport.answer = () => ({ outcome: 'deferred', reason: '451 later' });
  assert.deepEqual(await transport.send(sampleMail()), { outcome: 'deferred', reason: '451 later' });
  transport.answer = null;
  assert.equal((await transport.send(sampleMail())).outcome, 'accepted');
  assert.equal(transport.sent.length, 1);
  assert.equal(transport.isReal, false);
});
