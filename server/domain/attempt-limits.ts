// Every limit on attempts, in one table (docs/adr/0108). Counters are rows of the database, so they hold over all processes and
// restarts, and they are named by keyed hashes: `actions/attempts.ts` counts, `actions/sessions/networks.ts` says which networks
// an account was used from.

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

export interface Limit {
  /** What has a counter of its own. */
  by: readonly CounterPart[];
  most: number;
  /** How long attempts are remembered, from the first one on. */
  windowMs: number;
  /** How long the limit stays closed from the attempt on that reached it; without it until the window ends. */
  closedMs?: number;
  /** At the limit, attempts are let through uncounted and answered later by this much, instead of refused. */
  delayMs?: number;
  /** A success deletes the counter. Without it a success takes back only what the same attempts have counted. */
  endsWithSuccess?: true;
}

/**
 * `name`: what was typed, in its normal form, whether an account has this name or not. `place`: the network, if the account was
 * used from it; all other networks are one place, so that they share a counter and can close only that one.
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
  /** A pairing that is begun costs a row. */
  pairing: { by: ['network'], most: 30, windowMs: 10 * minuteMs, closedMs: 10 * minuteMs },
  /** Guessing a code would sign a stranger's program in to the caller's account. */
  pairingCode: { by: ['account'], most: 10, windowMs: 10 * minuteMs, closedMs: 10 * minuteMs },
  pairingToken: { by: ['network'], most: 60, windowMs: 10 * minuteMs, closedMs: 10 * minuteMs },
  invitations: { by: ['account'], most: 50, windowMs: hourMs },
  aliasRequests: { by: ['account'], most: 5, windowMs: 24 * hourMs },
  keyReads: { by: ['account'], most: 10, windowMs: minuteMs },
  /** Uploads begun at drop pages; only successful ones count, in `drop_keys`, and the counter makes them wait for each other. */
  dropKeys: { by: ['network'], most: 20, windowMs: hourMs },
} satisfies Record<string, Limit>;

export type LimitName = keyof typeof attemptLimits;

export const limitOf = (name: LimitName): Limit => attemptLimits[name];

/** What an attempt is about. */
export type Subject = { [Part in CounterPart]?: string };

/** The text whose keyed hash names a counter. As JSON, so that nothing that was typed makes it the text of another one. */
export function counterText(name: LimitName, subject: Subject): string {
  return JSON.stringify([name, ...limitOf(name).by.map((part) => subject[part] ?? '')]);
}

/** What administrators see with a counter; never what was typed. */
export function shownOf(name: LimitName, subject: Subject): { about: string; network: string } {
  const { by } = limitOf(name);
  const isOfNetworkAlone = by.every((part) => part === 'network');
  const network = by.includes('network') ? subject.network : by.includes('place') ? subject.place : undefined;
  return { about: isOfNetworkAlone ? '' : (subject.account ?? subject.link ?? ''), network: network ?? '' };
}

/** For this long after a sign-in its network is one that the account is used from. */
export const knownNetworkMs = 30 * 24 * hourMs;
export const mostKnownNetworks = 50;

export interface CodeLimit {
  by: readonly ('address' | 'target' | 'network')[];
  most: number;
  windowMs: number;
  /** Asking for what does not exist neither counts here nor is refused: it keeps no one from getting codes. */
  ofTheAddress?: true;
}

/** Codes that prove an address. The network's limit comes first: beyond it nothing is written for what was typed. */
export const codeLimits: readonly CodeLimit[] = [
  { by: ['network'], most: 20, windowMs: hourMs },
  { by: ['address', 'network'], most: 3, windowMs: 10 * minuteMs, ofTheAddress: true },
  { by: ['address', 'target'], most: 3, windowMs: 10 * minuteMs },
  { by: ['address'], most: 30, windowMs: hourMs, ofTheAddress: true },
  { by: ['target'], most: 20, windowMs: hourMs },
];
