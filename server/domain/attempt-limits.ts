// All limits on attempts (docs/adr/0108). `actions/attempts.ts` counts in database rows.

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

export interface Limit {
  by: readonly CounterPart[];
  most: number;
  /** From the first attempt on. */
  windowMs: number;
  /** After the limit was reached; by default until the window ends. */
  closedMs?: number;
  /** Delays attempts at the limit instead of refusing them. */
  delayMs?: number;
  /** By default a success only subtracts its own attempts. */
  endsWithSuccess?: true;
}

/**
 * `name`: the normalized login name, existing or not. `place`: the network, if the account was used from it; all others
 * share one counter, so that they can close only that one.
 */
export type CounterPart = 'name' | 'network' | 'account' | 'place' | 'link';

export const attemptLimits = {
  signInByNetwork: { by: ['network'], most: 30, windowMs: 15 * minuteMs, closedMs: 15 * minuteMs },
  signIn: {
    by: ['name', 'network'],
    most: 5,
    windowMs: 5 * minuteMs,
    closedMs: 15 * minuteMs,
    endsWithSuccess: true,
  },
  signInByName: { by: ['name'], most: 50, windowMs: hourMs, closedMs: hourMs, delayMs: 10 * secondMs },
  secondStep: {
    by: ['account', 'place'],
    most: 5,
    windowMs: 5 * minuteMs,
    closedMs: 5 * minuteMs,
    endsWithSuccess: true,
  },
  passwordAgain: {
    by: ['account', 'place'],
    most: 5,
    windowMs: 5 * minuteMs,
    closedMs: 15 * minuteMs,
    endsWithSuccess: true,
  },
  resetByNetwork: { by: ['network'], most: 10, windowMs: hourMs },
  reset: { by: ['name'], most: 3, windowMs: hourMs },
  linkPassword: {
    by: ['link', 'network'],
    most: 10,
    windowMs: 15 * minuteMs,
    closedMs: 15 * minuteMs,
    endsWithSuccess: true,
  },
  linkPasswordByLink: { by: ['link'], most: 100, windowMs: hourMs, closedMs: hourMs },
  setupToken: { by: ['network'], most: 5, windowMs: minuteMs, closedMs: minuteMs, endsWithSuccess: true },
  /** A started pairing costs a row. */
  pairing: { by: ['network'], most: 30, windowMs: 10 * minuteMs, closedMs: 10 * minuteMs },
  /** A code signs another program in to the caller's account. */
  pairingCode: { by: ['account'], most: 10, windowMs: 10 * minuteMs, closedMs: 10 * minuteMs },
  pairingToken: { by: ['network'], most: 60, windowMs: 10 * minuteMs, closedMs: 10 * minuteMs },
  recipientPasskey: { by: ['network'], most: 30, windowMs: 15 * minuteMs, closedMs: 15 * minuteMs },
  newRecipientPasskey: { by: ['network'], most: 10, windowMs: hourMs },
  invitations: { by: ['account'], most: 50, windowMs: hourMs },
  aliasRequests: { by: ['account'], most: 5, windowMs: 24 * hourMs },
  keyReads: { by: ['account'], most: 10, windowMs: minuteMs },
  /** Only successful ones count in `drop_keys`; the counter serializes them. */
  dropKeys: { by: ['network'], most: 20, windowMs: hourMs },
} satisfies Record<string, Limit>;

export type LimitName = keyof typeof attemptLimits;

export const limitOf = (name: LimitName): Limit => attemptLimits[name];

export type Subject = { [Part in CounterPart]?: string };

/** JSON, so that no input can produce the text of another counter. */
export function counterText(name: LimitName, subject: Subject): string {
  return JSON.stringify([name, ...limitOf(name).by.map((part) => subject[part] ?? '')]);
}

/** Never the input. */
export function shownOf(name: LimitName, subject: Subject): { about: string; network: string } {
  const { by } = limitOf(name);
  const isOfNetworkAlone = by.every((part) => part === 'network');
  const network = by.includes('network') ? subject.network : by.includes('place') ? subject.place : undefined;
  return { about: isOfNetworkAlone ? '' : (subject.account ?? subject.link ?? ''), network: network ?? '' };
}

export const knownNetworkMs = 30 * 24 * hourMs;
export const maxKnownNetworks = 50;

export interface CodeLimit {
  by: readonly ('address' | 'target' | 'network')[];
  most: number;
  windowMs: number;
  /** Requests for missing objects block no one's codes. */
  ofTheAddress?: true;
}

/** Beyond the network's limit nothing is written for the input. */
export const codeCounterText = (by: CodeLimit['by'], values: readonly string[]): string =>
  JSON.stringify(['codes', by, values]);

export const codeLimits: readonly CodeLimit[] = [
  { by: ['network'], most: 20, windowMs: hourMs },
  { by: ['address', 'network'], most: 3, windowMs: 10 * minuteMs, ofTheAddress: true },
  { by: ['address', 'target'], most: 3, windowMs: 10 * minuteMs },
  { by: ['address'], most: 30, windowMs: hourMs, ofTheAddress: true },
  { by: ['target'], most: 20, windowMs: hourMs },
];
