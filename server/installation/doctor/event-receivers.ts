// Checks where events go: webhooks, the syslog server and the file, and the witnesses of the event log. Sends no event.
import { constants } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { listAsked, tryWitness } from '../../actions/evidence/ask-witnesses.ts';
import type { Config } from '../../config.ts';
import { findStream } from '../../db/event-receivers/streams.ts';
import { listWebhooks } from '../../db/event-receivers/webhooks.ts';
import { findLogHead, type LogHead, listEvidenceKeys } from '../../db/evidence/evidence.ts';
import type { Db } from '../../db/schema/schema.ts';
import type { Webhook } from '../../domain/webhooks.ts';
import { counted } from '../../lib/counted.ts';
import { AddressRefused, resolveOutbound } from '../../lib/outbound-address.ts';
import { defaultPorts } from '../../lib/syslog.ts';
import { verifierKey } from '../../lib/tlog/notes.ts';
import { placeOf } from '../../lib/try-connection.ts';
import { type Finding, fault, messageOf, ok, warn } from './findings.ts';
import { canUse, ownName } from './owners.ts';
import { findReachFault, reachFault } from './reach.ts';

export async function checkWebhooks(config: Config, db: Db): Promise<Finding[]> {
  const webhooks = (await listWebhooks(db.read)).filter(({ state }) => state !== 'off');
  if (webhooks.length === 0) return [];
  const found = (await Promise.all(webhooks.map((webhook) => webhookFault(config, webhook)))).filter(
    (finding) => finding !== null,
  );
  return found.length > 0 ? found : [ok('webhooks', `All receivers of ${counted(webhooks.length, 'webhook')} answer.`)];
}

async function webhookFault(config: Config, webhook: Webhook): Promise<Finding | null> {
  const what = `The webhook to ${webhook.host}`;
  const url = new URL(webhook.url);
  const reached = { look: 'webhooks', what, setting: 'the webhook', caSetting: 'WAYBILL_CA_FILE' };
  let address: string;
  try {
    address = await resolveOutbound(url, config.webhookNetworks);
  } catch (error) {
    if (!(error instanceof AddressRefused)) return reachFault(error as Error, placeOf(url), reached);
    return fault(
      'webhooks',
      `${what}: ${error.message}.`,
      'Correct its address in the console, or permit the network with WAYBILL_WEBHOOK_NETWORKS.',
    );
  }
  const unreached = await findReachFault({ ...placeOf(url), address }, reached);
  if (unreached !== null) return unreached;
  if (webhook.state === 'failed')
    return fault(
      'webhooks',
      `${what} was switched off.`,
      'Mend the receiver, then switch the webhook on in the console: it continues where it stopped.',
      webhook.lastError,
    );
  if (webhook.attempts === 0) return null;
  const cure = 'Look at its deliveries in the console, and at the log of the receiver.';
  return {
    ...warn('webhooks', `${what} refuses events since ${timeOf(webhook.firstFailedAt)}.`, cure),
    said: webhook.lastError,
  };
}

export async function checkSyslog({ syslogUrl, syslogCaFile }: Config, db: Db | null): Promise<Finding[]> {
  if (syslogUrl === null) return [];
  const place = { ...placeOf(syslogUrl, defaultPorts), certificates: syslogCaFile };
  const unreached = await findReachFault(place, {
    look: 'syslog',
    what: 'The syslog server',
    setting: 'WAYBILL_SYSLOG_URL',
    caSetting: 'WAYBILL_SYSLOG_CA_FILE',
  });
  if (unreached !== null) return [unreached];
  return [(await streamWarning(db, 'syslog')) ?? ok('syslog', `${syslogUrl.host} answers.`)];
}

export async function checkEventsFile({ eventsFile }: Config, db: Db | null): Promise<Finding[]> {
  if (eventsFile === null) return [];
  const folder = dirname(eventsFile);
  const isThere = (path: string) => stat(path).catch(() => null);
  const found = await isThere(eventsFile);
  const named = (sentence: string, cure: string) => [fault('events file', sentence, cure)];
  if (found === null && (await isThere(folder)) === null)
    return named(`${eventsFile}: there is no folder ${folder}.`, `mkdir -p ${folder} && chown ${ownName()}: ${folder}`);
  if (found !== null && !found.isFile())
    return named(`${eventsFile} is not a file.`, 'Set WAYBILL_EVENTS_FILE to the path of a file.');
  if (!(await canUse(found === null ? folder : eventsFile, constants.W_OK)))
    return named(
      `The user ${ownName()} cannot write ${eventsFile}.`,
      `chown ${ownName()}: ${found === null ? folder : eventsFile}`,
    );
  return [(await streamWarning(db, 'file')) ?? ok('events file', `${eventsFile} can be written.`)];
}

/** The last attempt of the service failed. */
async function streamWarning(db: Db | null, name: 'syslog' | 'file'): Promise<Finding | null> {
  const progress = db === null ? null : await findStream(db.read, name);
  if (progress === null || progress.firstFailedAt === null) return null;
  const look = name === 'file' ? 'events file' : 'syslog';
  const sentence = `Events wait since ${timeOf(progress.firstFailedAt)}.`;
  return { ...warn(look, sentence, 'It is tried again every minute.'), said: progress.lastError };
}

/** The reading of the policy file is part of the check of the configuration. */
export async function checkWitnesses({ witnessPolicy }: Config, db: Db): Promise<Finding[]> {
  if (witnessPolicy === null) return [];
  const head = await findLogHead(db.read);
  const asked = listAsked(witnessPolicy);
  const found = await Promise.all(asked.map((one) => witnessFinding(one, head)));
  const keys = (await listEvidenceKeys(db.read)).map(({ verifierKey }) => verifierKey);
  const isListed = witnessPolicy.logs.length === 0 || witnessPolicy.logs.some((log) => keys.includes(verifierKey(log)));
  if (head !== null && !isListed)
    found.push(
      warn(
        'witnesses',
        'The policy file names other logs than this one, so its receipts cannot be checked with it.',
        `Add the line: log ${keys.at(-1) ?? ''}`,
      ),
    );
  return found;
}

async function witnessFinding(asked: ReturnType<typeof listAsked>[number], head: LogHead | null): Promise<Finding> {
  const place = placeOf(asked.url);
  const reached = {
    look: 'witnesses',
    what: `The witness ${asked.url.host}`,
    setting: 'WAYBILL_EVIDENCE_WITNESS_POLICY',
    caSetting: 'WAYBILL_CA_FILE',
  };
  const unreached = await findReachFault(place, reached);
  if (unreached !== null) return unreached;
  if (head === null || head.size === 0) return ok('witnesses', `${asked.url.host} answers.`);
  return tryWitness(asked, head).then(
    () => ok('witnesses', `${asked.url.host} answers and knows this log.`),
    (error) =>
      fault(
        'witnesses',
        `${reached.what}: ${messageOf(error)}.`,
        'Give its operator the name and key of this log (waybill-server evidence verify), or correct the policy file.',
      ),
  );
}

function timeOf(instant: number | null): string {
  return new Date(instant ?? 0).toISOString();
}
