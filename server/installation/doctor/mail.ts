// Checks sign-in at the mail server, and the DNS records of the sender domain. Sends nothing.
import { checkDomain } from '../../actions/mail/domain-check.ts';
import { openMailSetup } from '../../actions/mail/mail-settings.ts';
import type { Config } from '../../config.ts';
import type { Db, LockedDb } from '../../db/schema/schema.ts';
import { findMeta } from '../../db/system/installation.ts';
import { findSettings } from '../../db/system/settings.ts';
import { unlock } from '../../db/unlock.ts';
import { domainOf } from '../../domain/audience.ts';
import type { Check } from '../../domain/checks.ts';
import type { MailInForce } from '../../domain/mail-settings.ts';
import type { Random } from '../../domain/ports.ts';
import { describeCheck } from '../../http/transport/check-texts.ts';
import type { BaseClock } from '../../lib/clock.ts';
import { openNameRecords } from '../../lib/name-records.ts';
import { describeServer, testTransportSignIn } from '../../mail/transports/open.ts';
import type { TokenStore } from '../../mail/transports/tokens.ts';
import { keyCheck, openKeys } from '../keys.ts';
import { mailInForce } from '../mail-setup.ts';
import { openTokenStore } from '../mail-tokens.ts';
import { type Finding, warn } from './findings.ts';

export interface ExaminedMail {
  inForce: MailInForce;
  tokens: TokenStore;
}

/** With the settings of administrators, if the database and its key can be opened. */
export async function examineMail(
  config: Config,
  db: LockedDb | null,
  { random, clock }: { random: Random; clock: BaseClock },
): Promise<ExaminedMail> {
  const opened = db === null ? null : await unlockExamined(config, db, { random, clock });
  if (db === null || opened === null) return { inForce: mailInForce(config, null), tokens: unshared(clock) };
  const saved = openMailSetup(opened.read.keys, (await findSettings(db.read))?.settings.mailSealed ?? null);
  return {
    inForce: mailInForce(config, saved),
    tokens: openTokenStore({ db: opened, clock: serviceClock(clock) }),
  };
}

const serviceClock = ({ now }: BaseClock) => ({ now, uptime: () => 0, fault: () => null });

/** Null while the installation has no key: a first start would create one. */
export async function unlockExamined(
  config: Config,
  db: LockedDb,
  { random, clock }: { random: Random; clock: BaseClock },
): Promise<Db | null> {
  if ((await findMeta(db.read, keyCheck)) === null) return null;
  return unlock(db, (await openKeys(config, db, { random, clock: serviceClock(clock) })).keys);
}

function unshared({ now }: BaseClock): TokenStore {
  return { now, find: async () => null, claim: async () => true, save: async () => {}, release: async () => {} };
}

export async function checkRelay(config: Config, { inForce: { setup }, tokens }: ExaminedMail): Promise<Finding[]> {
  if (setup === null)
    return [
      warn(
        'mail',
        `There is no mail server: mails wait, and are files in ${config.dataDir}/mail.`,
        'Set up mail in the console, or set WAYBILL_SMTP_URL, such as smtp://user:password@mail.example.com:587',
      ),
    ];
  return summary('mail', await testTransportSignIn(setup, tokens));
}

export async function checkMailDomain(config: Config, { inForce }: ExaminedMail): Promise<Finding[]> {
  if (inForce.setup === null) return [];
  const { from, envelopeFrom } = inForce.settings;
  const { host } = describeServer(inForce.setup);
  const hosts = [host, config.baseUrl.hostname.replace(/^\[|\]$/g, '')];
  const sending = { fromDomain: domainOf(from), envelopeDomain: domainOf(envelopeFrom), hosts };
  const checks = await checkDomain(openNameRecords(config.nameServer), sending, null);
  return checks.flatMap((check) => findingsOf('mail domain', check));
}

/** The faults; without any, the last step. */
export function summary(look: string, checks: readonly Check[]): Finding[] {
  const wrong = checks.filter(({ state }) => state === 'failed' || state === 'warning');
  const last = checks.findLast(({ state }) => state === 'passed');
  return (wrong.length > 0 ? wrong : last === undefined ? [] : [last]).flatMap((check) => findingsOf(look, check));
}

/** In English, like every command. */
export function findingsOf(look: string, check: Check): Finding[] {
  if (check.state === 'skipped') return [];
  const { sentence, cure, said, record } = describeCheck(check, 'en');
  const state = check.state === 'failed' ? 'fault' : check.state === 'warning' ? 'warn' : 'ok';
  const line = record === null || record.value === '' ? '' : ` ${record.name} ${record.type} "${record.value}"`;
  return [{ look, state, sentence, cure: state === 'ok' ? null : `${cure ?? ''}${line}`, said }];
}
