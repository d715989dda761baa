// Half-open spans of time. Lists are in order and do not overlap.

export interface Span {
  from: number;
  to: number;
}

export const always: readonly Span[] = [{ from: 0, to: Number.POSITIVE_INFINITY }];

/** The intersection. */
export function overlapOf(some: readonly Span[], others: readonly Span[]): Span[] {
  return some
    .flatMap((one) => others.map((other) => ({ from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) })))
    .filter(({ from, to }) => from < to)
    .toSorted((one, other) => one.from - other.from);
}

export interface Toggle {
  at: number;
  isOn: boolean;
}

/** If the first switches off, it was on before. */
export function onSpans(toggles: readonly Toggle[]): Span[] {
  const spans: Span[] = [];
  let since: number | null = toggles[0]?.isOn === true ? null : 0;
  for (const { at, isOn } of toggles) {
    if (isOn) since ??= at;
    else if (since !== null) {
      spans.push({ from: since, to: at });
      since = null;
    }
  }
  if (since !== null) spans.push({ from: since, to: Number.POSITIVE_INFINITY });
  return spans.filter(({ from, to }) => from < to);
}

/** `endedAt` is the previous end, null if unknown. */
export interface EndChange {
  at: number;
  endedAt: number | null;
}

/** Without the time between an end and a later last day. */
export function activeSpans(from: number, endChanges: readonly EndChange[], endsAt: number): Span[] {
  const spans: Span[] = [];
  let since = from;
  for (const { at, endedAt } of endChanges) {
    if (endedAt === null || endedAt > at) continue;
    spans.push({ from: since, to: endedAt });
    since = at;
  }
  spans.push({ from: since, to: endsAt });
  return spans.filter((span) => span.from < span.to);
}
