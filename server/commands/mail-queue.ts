// `waybill-server mail queue [--json]`: prints waiting mails with the mail server's messages.

import type { Ctx } from '../actions/context.ts';
import { describeDelivery, listMailQueue, type MailRecord } from '../actions/mail/delivery.ts';
import { operatorCaller } from '../domain/caller.ts';
import type { Terminal } from './terminal.ts';

/** Limits the list, not the count. */
const mostShown = 100;

export async function showMailQueue(ctx: Ctx, isJson: boolean, io: Terminal): Promise<void> {
  const caller = operatorCaller();
  const { waiting, held, refusedToday } = await describeDelivery(ctx, caller);
  const filter = { states: ['pending', 'sending'] as const, domain: null, after: null };
  const { mails } = await listMailQueue(ctx, caller, filter, mostShown);
  if (isJson) {
    io.out(`${JSON.stringify({ waiting, held, refused_today: refusedToday, mails: mails.map(asJson) }, null, 2)}\n`);
    return;
  }
  for (const mail of mails) io.out(`${lineOf(mail)}\n`);
  if (waiting > mails.length) io.out(`… and ${waiting - mails.length} more\n`);
  io.out(`${waiting} waiting, ${held} held, ${refusedToday} refused in the last day\n`);
  if (held > 0)
    io.out(
      'Held since the restore, because the original may have sent them: Console, E-mail delivery, sends or drops them.\n',
    );
}

const time = (instant: number) => `${new Date(instant).toISOString().slice(0, 16)}Z`;

function lineOf({ recipient, kind, state, createdAt, nextAt, attempts, serverText }: MailRecord): string {
  const next = state === 'sending' ? 'being handed over' : `next attempt ${time(nextAt)}`;
  const said = serverText === '' ? '' : `  (${serverText})`;
  return `${recipient}  ${kind}  since ${time(createdAt)}  ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}  ${next}${said}`;
}

function asJson({ id, kind, recipient, state, attempts, createdAt, nextAt, serverText }: MailRecord) {
  return {
    id,
    kind,
    to: recipient,
    state: state === 'sending' ? 'sending' : 'waiting',
    attempts,
    created_at: new Date(createdAt).toISOString(),
    next_at: new Date(nextAt).toISOString(),
    said: serverText,
  };
}
