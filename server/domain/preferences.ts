import { addDays, dateOf, startOfDay } from '../lib/dates.ts';
import { invalid } from './problem.ts';

export const receiptTimings = ['at_once', 'hourly', 'daily', 'off'] as const;
export type ReceiptTiming = (typeof receiptTimings)[number];
export type Theme = 'system' | 'light' | 'dark';

export interface Preferences {
  /** Empty: that of the browser. */
  timeZone: string;
  theme: Theme;
  hasShortcutKeys: boolean;
  receipts: ReceiptTiming;
  hasReminders: boolean;
  hasRequestNotices: boolean;
}

export const defaultPreferences: Preferences = {
  timeZone: '',
  theme: 'system',
  hasShortcutKeys: true,
  receipts: 'at_once',
  hasReminders: true,
  hasRequestNotices: true,
};

/** A known time zone, or blank. */
export function readTimeZone(text: string): string {
  const zone = text.trim();
  if (zone === '') return '';
  // Offsets have no daylight saving time.
  if (/^[+-]/.test(zone)) throw badTimeZone();
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    throw badTimeZone();
  }
}

function badTimeZone() {
  return invalid('profile.bad_time_zone', 'Choose a time zone such as Europe/Stockholm.', 'time_zone');
}

export const notices = ['receipts', 'reminders', 'requests'] as const;
export type Notice = (typeof notices)[number];

export function isNotice(text: string): text is Notice {
  return (notices as readonly string[]).includes(text);
}

export function withoutNotice(
  preferences: Preferences,
  notice: Notice,
): { next: Preferences; changed: keyof Preferences } {
  switch (notice) {
    case 'receipts':
      return { next: { ...preferences, receipts: 'off' }, changed: 'receipts' };
    case 'reminders':
      return { next: { ...preferences, hasReminders: false }, changed: 'hasReminders' };
    case 'requests':
      return { next: { ...preferences, hasRequestNotices: false }, changed: 'hasRequestNotices' };
  }
}

const hourMs = 3_600_000;
const soonMs = 10 * 60_000;
/** Daily receipts are sent in the morning. */
const morningMs = 8 * hourMs;

/** The first one immediately and further ones soon, or collected; null is never. */
export function receiptDueAt(timing: ReceiptTiming, now: number, isNews: boolean, timeZone: string): number | null {
  switch (timing) {
    case 'off':
      return null;
    case 'at_once':
      return isNews ? now : now + soonMs;
    case 'hourly':
      return (Math.floor(now / hourMs) + 1) * hourMs;
    case 'daily': {
      const today = dateOf(now, timeZone);
      const morning = startOfDay(today, timeZone) + morningMs;
      return morning > now ? morning : startOfDay(addDays(today, 1), timeZone) + morningMs;
    }
  }
}
