// Asks for an access token and is killed after the token service has answered, before the answer is stored.
import { readConfig } from '#server/config.ts';
import { emptyMailSetup } from '#server/domain/mail-settings.ts';
import { openTokenStore } from '#server/installation/mail-tokens.ts';
import { openInside } from '#server/installation/open.ts';
import { silentLog } from '#server/lib/log.ts';
import { openTokens } from '#server/mail/transports/tokens.ts';

const { ctx } = await openInside(readConfig(), silentLog);
const setup = { ...emptyMailSetup, ...(JSON.parse(process.argv[2]!) as object) };
const dying = {
  ...openTokenStore(ctx),
  save: async () => {
    process.kill(process.pid, 'SIGKILL');
    return new Promise<never>(() => {});
  },
};
await openTokens(setup, dying).get();
