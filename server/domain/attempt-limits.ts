// How often something may be guessed before its door closes for a while (security D12), for the doors that administrators
// see when they are closed: where attempts are counted and where doors are listed, the numbers are these.

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export interface Limit {
  most: number;
  /** How long attempts are remembered. */
  windowMs: number;
  /** How long the door stays closed once `most` failures are reached. */
  closedMs: number;
}

/** From one network, or of one person; `FromEverywhere` where networks count together too. */
export const attemptLimits = {
  signIn: { most: 5, windowMs: 5 * minuteMs, closedMs: 15 * minuteMs },
  signInFromEverywhere: { most: 50, windowMs: hourMs, closedMs: hourMs },
  secondStep: { most: 5, windowMs: 5 * minuteMs, closedMs: 5 * minuteMs },
  passwordAgain: { most: 5, windowMs: 5 * minuteMs, closedMs: 15 * minuteMs },
  linkPassword: { most: 10, windowMs: 15 * minuteMs, closedMs: 15 * minuteMs },
  linkPasswordFromEverywhere: { most: 100, windowMs: hourMs, closedMs: hourMs },
} satisfies Record<string, Limit>;

/** Links to choose a new password, asked for from one network in an hour. */
export const resetLimit = { most: 10 };
