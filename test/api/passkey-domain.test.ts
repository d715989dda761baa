import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OverviewBody } from '#contract/admin/overview.ts';
import { insertPasskey } from '#server/db/passkeys/passkeys.ts';
import { silentLog } from '#server/lib/log.ts';
import { onEachDatabase, type StartOptions, startTestApp, type TestApp } from '#test/kit/app.ts';
import type { Engine } from '#test/kit/engines.ts';

onEachDatabase('the domain of passkeys', (_, engine) => {
  let place: Awaited<ReturnType<Engine['create']>>;
  before(async () => {
    place = await engine.create('migrated');
  });
  after(() => place.drop());

  /** The same installation each time, which ends afterwards. */
  const at = async (hostName: string, work: (app: TestApp) => Promise<void>, more: StartOptions = {}) => {
    const same = { name: engine.name, create: async () => ({ environment: place.environment, drop: async () => {} }) };
    const app = await startTestApp(same, { hostName, ...more });
    await work(app).finally(() => app.close());
  };
  const domainOf = ({ app }: TestApp) => app.ctx.settings.current().passkeyDomain;
  const attentionOf = async (app: TestApp) =>
    ((await app.admin.expect(200, 'getOverview')).body as { overview: OverviewBody }).overview.attention.filter(
      ({ topic }) => topic === 'passkeys-elsewhere',
    );
  const canSignIn = async (app: TestApp) =>
    (await (await fetch(`${app.url}/sign-in`)).text()).includes('data-passkey=');

  test('is fixed at set-up, follows the public address until the first passkey, and then stays', async () => {
    await at('localhost', async (app) => assert.equal(domainOf(app), 'localhost'));
    await at('127.0.0.1', async (app) => {
      assert.equal(domainOf(app), '127.0.0.1');
      assert.deepEqual(await attentionOf(app), []);
      await addPasskeys(app);
      assert.equal(await canSignIn(app), true);
    });
    const warnings: object[] = [];
    const log = { ...silentLog, warn: (facts: object) => void warnings.push(facts) };
    const checkLost = async (app: TestApp) => {
      assert.equal(domainOf(app), '127.0.0.1');
      assert.deepEqual(
        warnings.filter((facts) => 'domain' in facts),
        [{ domain: '127.0.0.1', host: 'localhost', people: 1, addresses: 1 }],
      );
      assert.deepEqual(await attentionOf(app), [{ topic: 'passkeys-elsewhere', count: 2, detail: '', since: null }]);
      assert.equal(await canSignIn(app), false);
    };
    await at('localhost', checkLost, { log });
    await at('127.0.0.1', async (app) => {
      assert.deepEqual(await attentionOf(app), []);
      assert.equal(await canSignIn(app), true);
    });
  });

  async function addPasskeys({ app: { ctx } }: TestApp): Promise<void> {
    for (const [id, holder] of [
      ['a', { userId: 'root' }],
      ['b', { address: 'rita@harbour.example' }],
      ['c', { address: 'rita@harbour.example' }],
    ] as const) {
      const rest = { publicKey: Buffer.alloc(3), transports: [], isBackedUp: false, createdAt: 0, signCount: 0 };
      await ctx.db.write((tx) => insertPasskey(tx, { id, credentialId: id, holder, name: 'Key', ...rest }));
    }
  }
});
