import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startNameServer } from '#test/kit/name-server.ts';
import { NameServerSilent, openNameRecords } from './name-records.ts';

test('records are returned unchanged, long texts joined, and missing ones as an empty list', async (t) => {
  const long = 'v=spf1 '.padEnd(300, 'x');
  const server = await startNameServer({
    'TXT a.example': [long, 'other'],
    'A a.example': '192.0.2.1',
    'AAAA a.example': '2001:db8:0:0:0:0:0:1',
    'MX a.example': 'mx.example',
    'PTR 9.2.0.192.in-addr.arpa': 'gate.example',
  });
  t.after(server.close);
  const names = openNameRecords(server.address);
  assert.deepEqual((await names.texts('a.example')).toSorted(), ['other', long]);
  assert.deepEqual(await names.addresses('a.example'), ['192.0.2.1', '2001:db8::1']);
  assert.deepEqual(await names.mailHosts('a.example'), ['mx.example']);
  assert.deepEqual(await names.namesOf('192.0.2.9'), ['gate.example']);
  const none = [names.texts, names.addresses, names.mailHosts].map((ask) => ask('none.example'));
  assert.deepEqual(await Promise.all([...none, names.namesOf('192.0.2.8')]), [[], [], [], []]);
});

test('an unreachable name server is an error', async () => {
  // Reusing a freed port could reach another program; nothing listens on this one.
  const names = openNameRecords('127.0.0.1:1');
  for (const ask of [names.texts, names.addresses, names.mailHosts])
    await assert.rejects(ask('a.example'), (error) => {
      assert.ok(error instanceof NameServerSilent);
      assert.deepEqual([error.asked, error.message], ['a.example', 'ECONNREFUSED']);
      return true;
    });
});
