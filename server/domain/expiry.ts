// Access ends with a day in the installation's time zone.
import { addDays, dateInWords, dateOf, endOfDay, parseDate } from '../lib/dates.ts';
import type { PolicyKey } from './policy.ts';
import { invalid } from './problem.ts';

export interface Expiry {
  /** The last day, `YYYY-MM-DD`. */
  on: string;
  /** The first instant after it. */
  at: number;
}

export interface ExpiryRule {
  input: string | undefined;
  defaultDays: number;
  maxDays: number;
  mayChange: boolean;
  now: number;
  timeZone: string;
  /** For the problem code: `link`, `message`, `request`. */
  noun: string;
  /** Absent where all groups have the same rule. */
  settings?: { mayChange: PolicyKey; maxDays: PolicyKey };
}

/** Throws a Problem that names a permitted date. */
export function resolveExpiry(rule: ExpiryRule): Expiry {
  const today = dateOf(rule.now, rule.timeZone);
  const byDefault = addDays(today, rule.defaultDays);
  if (rule.input === undefined || rule.input === '') return expiryOn(byDefault, rule.timeZone);
  if (parseDate(rule.input) === null) {
    throw invalid(`${rule.noun}.bad_date`, 'The expiry date must be a real date written as YYYY-MM-DD.', 'expires_at');
  }
  if (!rule.mayChange && rule.input !== byDefault) {
    const refusal = invalid(
      `${rule.noun}.expiry_locked`,
      `Your group sets the expiry date: ${dateInWords(byDefault)}. Leave it out, or ask your administrator.`,
      'expires_at',
    ).withValues({ date: { date: byDefault } });
    throw rule.settings === undefined ? refusal : refusal.decidedBy(rule.settings.mayChange);
  }
  if (rule.input < today) {
    throw invalid(
      `${rule.noun}.expiry_past`,
      'The expiry date is in the past. Choose today or a later date.',
      'expires_at',
    );
  }
  const last = addDays(today, rule.maxDays);
  if (rule.input > last) {
    const refusal = invalid(
      `${rule.noun}.expiry_too_late`,
      `The expiry date is too far ahead for your group. Choose a date up to ${dateInWords(last)}.`,
      'expires_at',
    ).withValues({ date: { date: last } });
    throw rule.settings === undefined ? refusal : refusal.decidedBy(rule.settings.maxDays);
  }
  return expiryOn(rule.input, rule.timeZone);
}

function expiryOn(date: string, timeZone: string): Expiry {
  return { on: date, at: endOfDay(date, timeZone) };
}
