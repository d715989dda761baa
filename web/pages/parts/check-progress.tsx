import type { ReactNode } from 'react';
import type { CheckProgress } from '../props.ts';
import { useText } from './frame.tsx';

export function CheckSentence({ check: { forViruses, percent } }: { check: CheckProgress }): ReactNode {
  const say = useText();
  if (!forViruses) return say('part.checking');
  return percent === null ? say('part.checkingViruses') : say('part.checkingPercent', { n: percent });
}
