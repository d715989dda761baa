// Reminders to recipients who have not downloaded everything: at most one a day, never after a refused mail.
import { countReminder } from '../../db/messages/recipients.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { readRecipient } from '../../domain/messages.ts';
import { invalid, type Problem, type ProblemValues } from '../../domain/problem.ts';
import { momentInWords } from '../../lib/dates.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { requireMailAllowance } from '../outbox.ts';
import { lockSent, requireOpen, unknownRecipient } from './changes.ts';
import { describeSent } from './describe.ts';
import { queueReminder } from './mails.ts';
import { type TrackedPerson, trackMessage } from './tracker.ts';

/** Without `input` reminds all that may be reminded. Returns their addresses. */
export async function remindRecipients(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  input: string[] | undefined,
): Promise<string[]> {
  const maxReminders = caller.policy.message_reminders;
  if (!caller.policy.can_use_messages || maxReminders === 0)
    throw invalid('message.reminders_off', 'Your group can’t send reminders. Ask your administrator if you need to.');
  const named = input?.map((address) => readRecipient(address, 'addresses'));
  return ctx.db.write(async (tx) => {
    requireOpen(ctx, await lockSent(tx, caller, id));
    const { people } = await trackMessage(ctx, caller, id, tx);
    const now = ctx.clock.now();
    const chosen =
      named === undefined
        ? people.filter((person) => reminderRefusal(person, now) === null)
        : findNamed(people, named, now);
    if (chosen.length === 0) throw invalid('message.nobody_to_remind', 'No one can be reminded now.', 'addresses');
    const addresses = chosen.map((person) => person.address);
    await requireMailAllowance(ctx, tx, caller, addresses);
    const message = await describeSent(tx, id, now);
    for (const address of addresses) {
      await countReminder(tx, { messageId: id, address }, now);
      await queueReminder(ctx, tx, message, address);
      await record(ctx, tx, caller, {
        action: 'message.reminded',
        object: { kind: 'message', id },
        ownerId: caller.userId,
        facts: { recipient: address },
      });
    }
    return addresses;
  });
}

function findNamed(people: TrackedPerson[], named: string[], now: number): TrackedPerson[] {
  return [...new Set(named)].map((address) => {
    const person = people.find((candidate) => candidate.address === address);
    if (person === undefined) throw unknownRecipient();
    const refusal = reminderRefusal(person, now);
    if (refusal !== null) throw refusal;
    return person;
  });
}

/** Null if the recipient can be reminded now. */
export function reminderRefusal(person: TrackedPerson, now: number): Problem | null {
  const { address, reminders, mail } = person;
  const refuse = (reason: string, sentence: string, values: ProblemValues = {}) =>
    invalid(`message.${reason}`, sentence, 'addresses').withValues({ address, ...values });
  if (person.state === 'revoked')
    return refuse('already_revoked', `${address} has no access to this message any more.`);
  if (person.state === 'done') return refuse('has_everything', `${address} has everything already.`);
  if (mail.state === 'refused')
    return refuse('address_refused', `The server of ${address} refused the e-mail. Correct the address first.`);
  if (mail.state === 'queued' || mail.state === 'deferred')
    return refuse('mail_waiting', `The e-mail to ${address} hasn’t been sent yet.`);
  if (reminders.nextAllowedAt === null)
    return refuse(
      'reminder_limit',
      `${address} was reminded ${reminders.count === 1 ? 'once' : `${reminders.count} times`}. That is as often as your group permits.`,
      { n: reminders.count },
    );
  if (reminders.nextAllowedAt > now)
    return refuse(
      'reminder_too_soon',
      `${address} had an e-mail about this less than a day ago. A reminder can be sent from ${momentInWords(reminders.nextAllowedAt)}.`,
      { moment: { instant: reminders.nextAllowedAt } },
    );
  return null;
}
