import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '#test/kit/app.ts';
import { ApiClient } from '#test/kit/client.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const client = '198.51.100.7';

/** The addresses that arrive when the client forges the beginning of the header. */
const forgeries = [
  '',
  '6.6.6.6',
  '6.6.6.6, 7.7.7.7',
  '127.0.0.1',
  '10.0.0.5, 192.0.2.1',
  'nonsense',
  ',,',
  '6.6.6.6:80',
];

for (const [trusted, outer] of [
  ['1', []],
  ['2', ['192.0.2.9']],
  ['3', ['192.0.2.9', '203.0.113.2']],
  ['loopback', []],
  ['loopback, 2', ['192.0.2.9']],
  ['loopback, 192.0.2.9', ['192.0.2.9']],
] as const)
  onOneEngine(`WAYBILL_TRUST_PROXY=${trusted}`, (start) => {
    const app = useApp(start, { environment: { WAYBILL_ROLE: 'web', WAYBILL_TRUST_PROXY: trusted } });
    const alice = usePerson(app, 'alice');
    const chain = (forged: string) => [...(forged === '' ? [] : [forged]), client, ...outer].join(', ');

    test('the log has the address of the client, however the header begins', async () => {
      for (const forged of forgeries) {
        const body = { request: { recipient: 'ben@harbour.example', subject: 'Files', message: 'x' } };
        await alice.expect(200, 'createFileRequest', { body, headers: { 'x-forwarded-for': chain(forged) } });
        const { remote_ip } = await app.app.ctx.db.read
          .selectFrom('events')
          .select('remote_ip')
          .where('action', '=', 'request.created')
          .orderBy('seq', 'desc')
          .executeTakeFirstOrThrow();
        assert.equal(remote_ip, client, JSON.stringify(forged));
      }
    });

    test('a client that forges another address for each wrong key is refused after twenty', async () => {
      const stranger = new ApiClient(app.url, 'Unknown'.padEnd(22, 'x'), '');
      const statuses: number[] = [];
      for (let count = 0; count < 22; count++) {
        const headers = { 'x-forwarded-for': chain(`6.6.${count}.6`) };
        statuses.push((await stranger.call('getAccount', { headers })).status);
      }
      assert.deepEqual([statuses[0], statuses[19], statuses[21]], [401, 401, 429]);
    });
  });
