// Stretches of time, each from its beginning to just before its end, and how they are put together from what happened. In
// lists they are in order and do not overlap.

export interface Span {
  from: number;
  to: number;
}

export const always: readonly Span[] = [{ from: 0, to: Number.POSITIVE_INFINITY }];

/** The time that is in both. */
export function overlapOf(some: readonly Span[], others: readonly Span[]): Span[] {
  return some
    .flatMap((one) => others.map((other) => ({ from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) })))
    .filter(({ from, to }) => from < to)
    .toSorted((one, other) => one.from - other.from);
}

/** Something was switched on or off at an instant. */
export interface Turn {
  at: number;
  isOn: boolean;
}

/** When it was on, by turns in order of time. What is switched off first was on before. */
export function onSpans(turns: readonly Turn[]): Span[] {
  const spans: Span[] = [];
  let since: number | null = turns[0]?.isOn === true ? null : 0;
  for (const { at, isOn } of turns) {
    if (isOn) since ??= at;
    else if (since !== null) {
      spans.push({ from: since, to: at });
      since = null;
    }
  }
  if (since !== null) spans.push({ from: since, to: Number.POSITIVE_INFINITY });
  return spans.filter(({ from, to }) => from < to);
}

/** A last day was moved; `endedAt` is the end that was in force until then, null when unknown. */
export interface Move {
  at: number;
  endedAt: number | null;
}

/** From the beginning to the end in force at each time, without what is between an end and a later last day. */
export function lifeSpans(from: number, moves: readonly Move[], endsAt: number): Span[] {
  const spans: Span[] = [];
  let since = from;
  for (const { at, endedAt } of moves) {
    if (endedAt === null || endedAt > at) continue;
    spans.push({ from: since, to: endedAt });
    since = at;
  }
  spans.push({ from: since, to: endsAt });
  return spans.filter((span) => span.from < span.to);
}
