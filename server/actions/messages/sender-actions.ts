// What the sender could change now, so that screens offer nothing that would be refused.
import type { UserCaller } from '../../domain/caller.ts';
import { maxRecipients } from '../../domain/messages.ts';
import { addDays, dateOf } from '../../lib/dates.ts';
import type { Ctx } from '../context.ts';
import { hasOtherFiles } from './file-removal.ts';
import { reminderRefusal } from './reminders.ts';
import type { Tracker } from './tracker.ts';

export interface SenderActions {
  /** Addresses that may be reminded. */
  remind: string[];
  /** Null if it cannot be extended. */
  extendTo: string | null;
  /** 0 for none; null if it cannot be raised. */
  allowMoreTo: number | null;
  mayAddRecipient: boolean;
  mayRevoke: boolean;
  mayDeleteFiles: boolean;
  removeFiles: string[];
}

export function senderActionsFor(ctx: Ctx, caller: UserCaller, tracker: Tracker): SenderActions {
  const { policy } = caller;
  const { message, isOpen } = tracker;
  const now = ctx.clock.now();
  const active = tracker.people.filter((person) => person.state !== 'revoked');
  const mayRemind = isOpen && policy.can_use_messages && policy.message_reminders > 0;
  return {
    remind: mayRemind
      ? active.filter((person) => reminderRefusal(person, now) === null).map((person) => person.address)
      : [],
    extendTo: latestDay(ctx, caller, tracker),
    allowMoreTo: highestLimit(caller, tracker),
    mayAddRecipient: isOpen && policy.can_use_messages && active.length < maxRecipients,
    mayRevoke: message.state !== 'revoked',
    mayDeleteFiles: tracker.files.some((file) => file.state !== 'erased'),
    removeFiles: isOpen ? tracker.files.filter((file) => hasOtherFiles(tracker.files, file)).map(({ id }) => id) : [],
  };
}

function latestDay(ctx: Ctx, { policy }: UserCaller, { message, files }: Tracker): string | null {
  if (message.state === 'revoked' || files.some((file) => file.state === 'erased')) return null;
  const today = dateOf(ctx.clock.now(), ctx.settings.surroundings.timeZone);
  const days = policy.message_can_change_expiration ? policy.message_max_expiration : policy.message_default_expiration;
  const latest = addDays(today, days);
  return latest > message.expiresOn ? latest : null;
}

function highestLimit({ policy }: UserCaller, { message, isOpen }: Tracker): number | null {
  const max = policy.message_max_expires_after;
  if (!isOpen || message.downloadLimit === null || !policy.message_can_change_expires_after) return null;
  return max === 0 || max > message.downloadLimit ? max : null;
}
