// The shape of content that is on its way: nothing for the first 300 ms, then grey bars, after ten seconds a word.
import { type ReactNode, useEffect, useState } from 'react';
import { useText } from '../texts.ts';
import { Button } from './button.tsx';
import classes from './skeleton.module.css';

interface Props {
  /** Lines of text, or `children` in the shape of what comes. */
  lines?: number;
  children?: ReactNode;
  onRetry?: () => void;
}

export function Skeleton({ lines = 3, children, onRetry }: Props) {
  const text = useText('ui');
  const isLate = useAfter(300);
  const isVeryLate = useAfter(10_000);
  return (
    <div aria-busy="true" className={classes.area}>
      <span className={classes.hidden}>{text('loading')}</span>
      {isLate ? (children ?? <Bars count={lines} />) : null}
      {isVeryLate ? (
        <p className={classes.late}>
          {text('stillWorking')}
          {onRetry === undefined ? null : (
            <Button variant="quiet" size="small" onClick={onRetry}>
              {text('tryAgain')}
            </Button>
          )}
        </p>
      ) : null}
    </div>
  );
}

/** One grey bar, to build shapes from. */
export function SkeletonBar({ width = '100%', height = '1rem' }: { width?: string; height?: string }) {
  return <span className={classes.bar} style={{ inlineSize: width, blockSize: height }} />;
}

function Bars({ count }: { count: number }) {
  return Array.from({ length: count }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: all alike
    <SkeletonBar key={index} width={index === count - 1 ? '60%' : '100%'} />
  ));
}

function useAfter(ms: number): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return isOver;
}
