// Checks sign-in at the mail server, and the DNS records of the sender domain. Sends nothing.
import { checkDomain } from '../../actions/mail/domain-check.ts';
import type { Config } from '../../config.ts';
import { domainOf } from '../../domain/audience.ts';
import type { Check } from '../../domain/checks.ts';
import { describeCheck } from '../../http/transport/check-texts.ts';
import { openNameRecords } from '../../lib/name-records.ts';
import { parseSmtpUrl } from '../../lib/smtp-url.ts';
import { testSignIn } from '../../mail/transports/delivery-test.ts';
import { mailSettingsOf } from '../mail-route.ts';
import { type Finding, warn } from './findings.ts';

const timeouts = { connectMs: 8000, greetingMs: 8000, silenceMs: 8000 };

export async function checkRelay({ smtpUrl, dataDir }: Config): Promise<Finding[]> {
  const url = smtpUrl?.reveal();
  if (url === undefined)
    return [
      warn(
        'mail',
        `There is no mail server: mails are files in ${dataDir}/mail.`,
        'Set WAYBILL_SMTP_URL, such as smtp://user:password@mail.example.com:587',
      ),
    ];
  return summary('mail', await testSignIn({ url, timeouts }));
}

export async function checkMailDomain(config: Config): Promise<Finding[]> {
  const url = config.smtpUrl?.reveal();
  if (url === undefined) return [];
  const { from, envelopeFrom } = mailSettingsOf(config);
  const hosts = [parseSmtpUrl(url).host, config.baseUrl.hostname.replace(/^\[|\]$/g, '')];
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
