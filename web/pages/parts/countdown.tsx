// Without script the time does not change.
import type { ReactNode } from 'react';
import { duration } from '../../formats.ts';
import type { TextKey } from '../text.ts';
import { Say, useFrame } from './frame.tsx';

interface CountdownProps {
  /** Sentence with `{time}`. */
  k: TextKey;
  seconds: number;
  /** `allow` removes the sentence and enables buttons marked `data-waits`. */
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
