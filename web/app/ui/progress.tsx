// Screen readers get the text at most once a second.
import { useEffect, useRef, useState } from 'react';
import classes from './progress.module.css';

interface Props {
  /** 0 to 1. */
  share: number;
  /** A file, or `All files`. */
  label: string;
  /** `682 MB of 1.1 GB, about 40 seconds left`. */
  text: string;
  isPaused?: boolean;
  /** False if the text is shown elsewhere. */
  showsText?: boolean;
}

export function Progress({ share, label, text, isPaused, showsText = true }: Props) {
  const throttled = useThrottled(text);
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 100);
  return (
    <div className={classes.progress}>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={throttled}
        className={classes.track}
        data-paused={isPaused === true}
      >
        <div className={classes.bar} style={{ inlineSize: `${share * 100}%` }} />
      </div>
      {showsText ? (
        <span className={classes.text} aria-hidden="true">
          {throttled}
        </span>
      ) : null}
    </div>
  );
}

const everyMs = 1_000;

/** Limits changes, so that the text can be read. */
function useThrottled(text: string): string {
  const [shown, setShown] = useState(text);
  const lastAt = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, lastAt.current + everyMs - performance.now());
    const timer = setTimeout(() => {
      lastAt.current = performance.now();
      setShown(text);
    }, wait);
    return () => clearTimeout(timer);
  }, [text]);
  return shown;
}
