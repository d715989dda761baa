// Which mail settings are in force: the environment precedes those that administrators have saved.
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { transportFromEnvironment } from '../config-mail.ts';
import type { EnvironmentFields, MailInForce, MailSetup } from '../domain/mail-settings.ts';
import { parseDomain } from '../lib/address.ts';

export function mailInForce(config: Config, saved: MailSetup | null): MailInForce {
  const given = transportFromEnvironment(config);
  const chosen = given?.setup ?? saved;
  const overrides = overridesOf(config);
  const setup = chosen === null ? null : { ...chosen, ...overrides.values };
  const from = setup?.from || defaultFrom(config, setup);
  return {
    setup: setup === null ? null : { ...setup, from },
    source: given !== null ? 'environment' : saved === null ? 'none' : 'console',
    fixed: { ...given?.fixed, ...overrides.fixed },
    settings: {
      from: config.mailFrom ?? from,
      envelopeFrom: config.mailEnvelopeFrom ?? (setup?.envelopeFrom || (config.mailFrom ?? from)),
      ownDomains: config.mailOwnDomains,
      perMinute: config.mailPerMinute,
    },
  };
}

/** A mailbox of Microsoft Graph can send only for itself without further permissions. */
function defaultFrom(config: Config, setup: MailSetup | null): string {
  if (setup?.method === 'graph') return setup.user;
  // An IP address has no mail domain until the operator sets one.
  const domain = parseDomain(config.baseUrl.hostname, { allowSingleLabel: true }) ?? 'localhost';
  return `files@${domain}`;
}

function overridesOf(config: Config): { values: Partial<MailSetup>; fixed: EnvironmentFields } {
  const { mailFrom, mailEnvelopeFrom, dkimDomain, dkimSelector, dkimKey } = config;
  return {
    values: {
      ...(mailFrom === null ? {} : { from: mailFrom }),
      ...(mailEnvelopeFrom === null ? {} : { envelopeFrom: mailEnvelopeFrom }),
      ...(dkimDomain === null
        ? {}
        : { dkimDomain, dkimSelector: dkimSelector ?? '', dkimKey: dkimKey?.reveal() ?? '' }),
    },
    fixed: {
      ...(mailFrom === null ? {} : { from: 'WAYBILL_MAIL_FROM' }),
      ...(mailEnvelopeFrom === null ? {} : { envelopeFrom: 'WAYBILL_MAIL_ENVELOPE_FROM' }),
      ...(dkimDomain === null ? {} : { dkimDomain: 'WAYBILL_DKIM_DOMAIN' }),
    },
  };
}

export function mailFolder(config: Config): string {
  return join(config.dataDir, 'mail');
}
