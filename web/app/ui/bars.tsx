// Amounts over time as bars: one stop of the Tab key, arrow keys walk from bar to bar, each says its own sentence. The
// sentence of the bar in focus or under the pointer stands above the plot, so nothing needs hover.
import { type KeyboardEvent, useRef, useState } from 'react';
import classes from './bars.module.css';

export interface Bar {
  key: string;
  value: number;
  /** `Thursday 12 November 2026: 8 downloads, 1.2 GB`. */
  sentence: string;
  /** Short, for the axis. */
  label: string;
}

interface Props {
  label: string;
  bars: readonly Bar[];
  /** Shown while no bar is looked at. */
  hint: string;
  /** How an amount of the scale is written. */
  amount: (value: number) => string;
  onPress: (key: string) => void;
}

const steps: Record<string, (at: number, last: number) => number> = {
  ArrowRight: (at) => at + 1,
  ArrowUp: (at) => at + 1,
  ArrowLeft: (at) => at - 1,
  ArrowDown: (at) => at - 1,
  Home: () => 0,
  End: (_, last) => last,
  PageUp: (at) => at - 7,
  PageDown: (at) => at + 7,
};

export function Bars({ label, bars, hint, amount, onPress }: Props) {
  const row = useRef<HTMLDivElement>(null);
  // The newest is the first that Tab reaches.
  const [stop, setStop] = useState(bars.length - 1);
  const [looked, setLooked] = useState<number | null>(null);
  const last = bars.length - 1;
  const at = Math.min(stop, last);
  const top = niceTop(Math.max(1, ...bars.map(({ value }) => value)));
  const walk = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(last, step(at, last)));
    setStop(next);
    row.current?.querySelectorAll('button')[next]?.focus();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className={classes.plot} role="group" aria-label={label}>
      <p className={classes.told} aria-hidden="true">
        {looked === null ? hint : bars[looked]?.sentence}
      </p>
      <div className={classes.frame}>
        <div className={classes.scale} aria-hidden="true">
          <span>{amount(top)}</span>
          <span>{top > 1 ? amount(top / 2) : ''}</span>
          <span>{amount(0)}</span>
        </div>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: keys go from one button inside to the next */}
        <div ref={row} className={classes.bars} onKeyDown={walk} onMouseLeave={() => setLooked(null)}>
          {bars.map(({ key, value, sentence }, index) => (
            <button
              key={key}
              type="button"
              className={classes.bar}
              aria-label={sentence}
              tabIndex={index === at ? 0 : -1}
              onClick={() => onPress(key)}
              onFocus={() => {
                setStop(index);
                setLooked(index);
              }}
              onBlur={() => setLooked(null)}
              onMouseEnter={() => setLooked(index)}
            >
              <span
                className={classes.fill}
                data-none={value === 0}
                style={{ blockSize: value === 0 ? '1px' : `max(2px, ${(100 * value) / top}%)` }}
              />
            </button>
          ))}
        </div>
        <div className={classes.axis} aria-hidden="true">
          {axisOf(bars).map((bar) => (
            <span key={bar.key}>{bar.label}</span>
          ))}
        </div>
      </div>
    </div>
  );
}

/** The ends, and the middle when there is one. */
function axisOf(bars: readonly Bar[]): Bar[] {
  const places =
    bars.length < 3 ? bars.map((_, index) => index) : [0, Math.floor((bars.length - 1) / 2), bars.length - 1];
  return places.map((index) => bars[index]!);
}

/** A round number at or above the largest amount, with a round half. */
function niceTop(most: number): number {
  if (most <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 4, 6, 8, 10].find((factor) => factor * power >= most) ?? 10;
  return Math.max(2, step * power);
}
