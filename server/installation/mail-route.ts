// The mail service of this process: follows the environment and the settings that administrators save.
import type { Ctx } from '../actions/context.ts';
import type { MailConnection, MailRoute } from '../actions/mail/mail-connection.ts';
import { readMailSetup } from '../actions/mail/mail-settings.ts';
import type { Config } from '../config.ts';
import type { MailInForce, MailSettings, MailSetup } from '../domain/mail-settings.ts';
import type { MailTransport } from '../domain/ports.ts';
import { outgoingMail } from '../jobs/outgoing-mail.ts';
import { openNameRecords } from '../lib/name-records.ts';
import { openFolderTransport } from '../mail/folder.ts';
import { describeServer, openMailTransport, testMailTransport } from '../mail/transports/open.ts';
import type { TokenStore } from '../mail/transports/tokens.ts';
import { mailFolder, mailInForce } from './mail-setup.ts';
import { openTokenStore } from './mail-tokens.ts';

export interface MailService {
  /** Sends through what is in force at that moment. */
  transport: MailTransport;
  connection: MailConnection;
  settings(): MailSettings;
}

interface Open {
  sealed: string | null;
  inForce: MailInForce;
  transport: MailTransport;
}

export function openMailService(ctx: Ctx, config: Config, substitute?: MailTransport): MailService {
  const tokens = openTokenStore(ctx);
  const open = (sealed: string | null): Open => {
    const inForce = mailInForce(config, readMailSetup(ctx));
    return { sealed, inForce, transport: substitute ?? transportOf(config, inForce.setup, tokens) };
  };
  let now = open(ctx.settings.current().mailSealed);

  /** Reopened after a change by any process. */
  function current(): Open {
    const sealed = ctx.settings.current().mailSealed;
    if (sealed === now.sealed) return now;
    const former = now;
    now = open(sealed);
    if (substitute === undefined)
      former.transport
        .close()
        .catch((error) => ctx.log.warn({ err: String(error) }, 'closing a mail transport failed'));
    return now;
  }

  return {
    transport: {
      get isReal() {
        return current().transport.isReal;
      },
      send: (mail) => current().transport.send(mail),
      check: async () => (await current().transport.check?.()) ?? null,
      forget: async (words) => current().transport.forget?.(words),
      close: () => now.transport.close(),
    },
    connection: {
      get route() {
        const { inForce, transport } = current();
        return routeOf(config, { inForce, isReal: transport.isReal });
      },
      inForce: () => current().inForce,
      with(saved) {
        const inForce = mailInForce(config, saved);
        return { inForce, route: routeOf(config, { inForce, isReal: true }) };
      },
      records: openNameRecords(config.nameServer),
      async sendNow({ id, to, rendered }, candidate) {
        const { inForce, transport } = candidate === undefined ? current() : { inForce: candidate, transport: null };
        const mail = outgoingMail(ctx, inForce.settings, { id, to, sender: null, rendered });
        if (inForce.setup !== null) return testMailTransport(inForce.setup, tokens, mail);
        const result = await transport!.send(mail);
        const said = result.outcome === 'accepted' ? result.serverText : result.reason;
        return [{ check: 'resolve', state: 'failed', code: 'smtp.not_set_up', said }];
      },
    },
    settings: () => current().inForce.settings,
  };
}

function transportOf(config: Config, setup: MailSetup | null, tokens: TokenStore): MailTransport {
  // Without a mail server every mail also becomes a file, so that an evaluation can read it.
  return setup === null ? openFolderTransport(mailFolder(config)) : openMailTransport(setup, tokens);
}

/** For operators and administrators; contains no secret. */
function routeOf(config: Config, { inForce, isReal }: { inForce: MailInForce; isReal: boolean }): MailRoute {
  const { setup, settings, source } = inForce;
  if (setup === null)
    return { isReal, server: mailFolder(config), host: null, security: 'none', user: null, source, ...settings };
  return { isReal, ...describeServer(setup), source, ...settings };
}
