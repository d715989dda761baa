// One tab stop; arrow keys move between bars.
import { type KeyboardEvent, useRef, useState } from 'react';
import { useFormats } from '../formats.ts';
import classes from './bars.module.css';

export interface Bar {
  key: string;
  value: number;
  /** `Thursday 12 November 2026: 8 downloads, 1.2 GB`. */
  sentence: string;
  label: string;
}

interface Props {
  label: string;
  bars: readonly Bar[];
  /** Above the plot until a bar is chosen; the newest bar's sentence by default. */
  hint?: string;
  onClick: (key: string) => void;
  /** The values are bytes. */
  isSize?: boolean;
}

export function Bars({ label, bars, hint, onClick, isSize = false }: Props) {
  const formats = useFormats();
  const number = isSize ? formats.size : formats.number;
  const [hovered, setHovered] = useState<number | null>(null);
  const top = axisTop(Math.max(1, ...bars.map(({ value }) => value)), isSize);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className={classes.plot} role="group" aria-label={label}>
      <p className={classes.sentence} aria-hidden="true">
        {hovered === null ? (hint ?? bars.at(-1)?.sentence) : bars[hovered]?.sentence}
      </p>
      <div className={classes.frame}>
        <div className={classes.scale} aria-hidden="true">
          <span>{number(top)}</span>
          <span>{top > 1 ? number(top / 2) : ''}</span>
          <span>{number(0)}</span>
        </div>
        <BarButtons bars={bars} top={top} onHover={setHovered} onClick={onClick} />
        <div className={classes.axis} aria-hidden="true">
          {axisOf(bars).map((bar) => (
            <span key={bar.key}>{bar.label}</span>
          ))}
        </div>
      </div>
    </div>
  );
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

interface ButtonsProps extends Pick<Props, 'bars' | 'onClick'> {
  top: number;
  onHover: (index: number | null) => void;
}

function BarButtons({ bars, top, onHover, onClick }: ButtonsProps) {
  const row = useRef<HTMLDivElement>(null);
  const last = bars.length - 1;
  // Tab reaches the newest bar first.
  const [stop, setStop] = useState(last);
  const at = Math.min(stop, last);
  const moveFocus = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(last, step(at, last)));
    setStop(next);
    row.current?.querySelectorAll('button')[next]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys go from one button inside to the next
    <div ref={row} className={classes.bars} onKeyDown={moveFocus} onMouseLeave={() => onHover(null)}>
      {bars.map(({ key, value, sentence }, index) => (
        <button
          key={key}
          type="button"
          className={classes.bar}
          aria-label={sentence}
          tabIndex={index === at ? 0 : -1}
          onClick={() => onClick(key)}
          onFocus={() => {
            setStop(index);
            onHover(index);
          }}
          onBlur={() => onHover(null)}
          onMouseEnter={() => onHover(index)}
        >
          <span
            className={classes.fill}
            data-none={value === 0}
            style={{ blockSize: value === 0 ? '1px' : `max(2px, ${(100 * value) / top}%)` }}
          />
        </button>
      ))}
    </div>
  );
}

function axisOf(bars: readonly Bar[]): Bar[] {
  const middle = Math.floor((bars.length - 1) / 2);
  return bars.filter((_, index) => index === 0 || index === bars.length - 1 || (index === middle && bars.length > 2));
}

/** Round, with a round half. */
function axisTop(most: number, isSize: boolean): number {
  if (isSize && most >= 1024) return 1024 * axisTop(most / 1024, isSize);
  if (most <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 4, 6, 8, 10].find((factor) => factor * power >= most) ?? 10;
  return Math.max(2, step * power);
}
