// The configured mail transport: a relay or a folder.
import { join } from 'node:path';
import type { Ctx } from '../actions/context.ts';
import type { MailConnection, MailRoute } from '../actions/mail/mail-connection.ts';
import type { Config } from '../config.ts';
import type { Check } from '../domain/checks.ts';
import type { MailTransport } from '../domain/ports.ts';
import { type MailSettings, outgoingMail } from '../jobs/outgoing-mail.ts';
import { parseDomain } from '../lib/address.ts';
import { openNameRecords } from '../lib/name-records.ts';
import { parseSmtpUrl } from '../lib/smtp-url.ts';
import { openFolderTransport } from '../mail/folder.ts';
import { openSmtpTransport, smtpProtection } from '../mail/smtp.ts';
import { testDelivery } from '../mail/transports/delivery-test.ts';

/** Without a relay every mail becomes a file, so that the product works without configuration. */
export function openTransport(config: Config): MailTransport {
  const url = config.smtpUrl?.reveal();
  return url === undefined ? openFolderTransport(join(config.dataDir, 'mail')) : openSmtpTransport({ url });
}

/** For operators; never contains the password. */
export function mailRouteOf(config: Config): { server: string; security: string; user: string | null } {
  const url = config.smtpUrl?.reveal();
  if (url === undefined) return { server: join(config.dataDir, 'mail'), security: 'none (this machine)', user: null };
  const { host, port, user } = parseSmtpUrl(url);
  const protection = smtpProtection({ url });
  return {
    server: `${host}:${port}`,
    security: protection === 'loopback' ? 'none (this machine)' : protection,
    user: user === '' ? null : user,
  };
}

export function mailSettingsOf(config: Config): MailSettings {
  // An IP address has no mail domain until the operator sets one.
  const domain = parseDomain(config.baseUrl.hostname, { allowSingleLabel: true }) ?? 'localhost';
  const from = config.mailFrom ?? `files@${domain}`;
  return {
    from,
    envelopeFrom: config.mailEnvelopeFrom ?? from,
    ownDomains: config.mailOwnDomains,
    perMinute: config.mailPerMinute,
  };
}

/** For administrators. Without a relay, a test mail uses the folder, and the result says so. */
export function openMailConnection(ctx: Ctx, config: Config, transport: MailTransport): MailConnection {
  const url = config.smtpUrl?.reveal();
  const settings = mailSettingsOf(config);
  return {
    route: describeRoute(config, settings),
    records: openNameRecords(config.nameServer),
    async sendNow({ id, to, rendered }) {
      const mail = outgoingMail(ctx, settings, { id, to, sender: null, rendered });
      if (url !== undefined) return testDelivery({ url }, mail);
      const result = await transport.send(mail);
      const said = result.outcome === 'accepted' ? result.serverText : result.reason;
      const check: Check = { check: 'resolve', state: 'failed', code: 'smtp.not_set_up', said };
      return [check];
    },
  };
}

function describeRoute(config: Config, settings: MailSettings): MailRoute {
  const url = config.smtpUrl?.reveal();
  const protection = url === undefined ? 'loopback' : smtpProtection({ url });
  const { server, user } = mailRouteOf(config);
  return {
    isReal: url !== undefined,
    server,
    host: url === undefined ? null : parseSmtpUrl(url).host,
    security: protection === 'loopback' ? 'none' : protection,
    user,
    ...settings,
  };
}
