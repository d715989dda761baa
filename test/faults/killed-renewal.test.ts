// A process is killed between the answer of the token service and the storage of the new refresh token.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { prepare } from '#server/app.ts';
import { readConfig } from '#server/config.ts';
import { emptyMailSetup } from '#server/domain/mail-settings.ts';
import { openTokenStore } from '#server/installation/mail-tokens.ts';
import { openInside } from '#server/installation/open.ts';
import { silentLog } from '#server/lib/log.ts';
import { openTokens } from '#server/mail/transports/tokens.ts';
import { databases } from '#test/kit/engines.ts';
import { startTokenEndpoint } from '#test/kit/token-endpoint.ts';

/** The lease of the process that renews a token. */
const leaseMs = 45_000;
const hourMs = 3_600_000;

for (const engine of databases)
  test(`the former refresh token stays stored, and another process continues with it (${engine.name})`, async () => {
    const place = await engine.create('migrated');
    const environment = { WAYBILL_BASE_URL: 'http://127.0.0.1:4999', ...place.environment };
    const config = readConfig(environment);
    await prepare(config, silentLog);
    const { ctx, close } = await openInside(config, silentLog);
    const service = await startTokenEndpoint();
    Object.assign(service, { rotates: true, refreshToken: 'first' });
    let now = ctx.clock.now();
    const store = openTokenStore({ db: ctx.db, clock: { ...ctx.clock, now: () => now } });
    const setup = {
      ...emptyMailSetup,
      signIn: 'oauth' as const,
      user: 'files@northlight.example',
      tokenUrl: service.tokenUrl,
      clientId: 'waybill',
      refreshToken: 'first',
    };
    try {
      const source = openTokens(setup, store);
      await source.get();
      const stored = service.refreshToken;
      // The one that is killed finds it expired.
      await ctx.db.write((tx) => tx.updateTable('mail_tokens').set({ expires_at: 0, renew_at: 0 }).execute());
      await killedRenewal(environment, setup);
      assert.notEqual(service.refreshToken, stored, 'the service has replaced it');
      now = ctx.clock.now() + leaseMs;
      service.acceptsFormer = true;
      assert.ok(service.isValid(await source.get()));
      const given = service.asked.map((form) => form.get('refresh_token'));
      assert.deepEqual(given, ['first', stored, stored]);
      service.acceptsFormer = false;
      now += hourMs;
      assert.ok(service.isValid(await source.get()), 'the latest one is stored');
    } finally {
      await service.close();
      await close();
      await place.drop();
    }
  });

async function killedRenewal(environment: Record<string, string>, setup: object): Promise<void> {
  const fixture = join(import.meta.dirname, 'renew-token.fixture.ts');
  const child = spawn(process.execPath, [fixture, JSON.stringify(setup)], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  assert.deepEqual(await once(child, 'close'), [null, 'SIGKILL']);
}
