// A waiting time in words. The script counts it down and then does what was waited for; without it the words are true
// for the moment the page was opened.
import type { ReactNode } from 'react';
import { duration } from '../../formats.ts';
import type { TextKey } from '../text.ts';
import { Say, useFrame } from './frame.tsx';

interface CountdownProps {
  /** Sentence with `{time}`. */
  k: TextKey;
  seconds: number;
  /** `reload`: the page is opened again. `allow`: the sentence goes, and buttons marked `data-waits` can be pressed. */
  then: 'reload' | 'allow';
}

export function Countdown({ k, seconds, then }: CountdownProps): ReactNode {
  const { locale } = useFrame();
  const time = (
    <span data-countdown={seconds} data-then={then}>
      {duration(locale, seconds)}
    </span>
  );
  return <Say k={k} with={{ time }} />;
}
