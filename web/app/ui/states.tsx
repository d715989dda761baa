import { CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert, X } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { ClientProblem } from '#contract/client.ts';
import { useText } from '../texts.ts';
import { Button, IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { Row, Stack } from './layout.tsx';
import classes from './states.module.css';

interface NoticeProps {
  tone?: 'info' | 'success' | 'warning' | 'danger';
  title?: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
  /** Only if dismissing loses nothing. */
  onDismiss?: () => void;
}

const noticeIcons = { info: Info, success: CircleCheck, warning: TriangleAlert, danger: CircleAlert };

/** About the screen or a part of it. */
export function Notice({ tone = 'info', title, children, action, onDismiss }: NoticeProps) {
  const text = useText('ui');
  return (
    <div className={classes.notice} data-tone={tone}>
      <Icon of={noticeIcons[tone]} label={text(tone)} className={classes.noticeIcon!} />
      <div className={classes.noticeText}>
        {title === undefined ? null : <strong>{title}</strong>}
        {children === undefined ? null : <div>{children}</div>}
      </div>
      {action === undefined ? null : <Row>{action}</Row>}
      {onDismiss === undefined ? null : <IconButton icon={X} label={text('dismiss')} onClick={onDismiss} />}
    </div>
  );
}

interface EmptyProps {
  icon?: LucideIcon;
  title?: string | undefined;
  children: ReactNode;
  action?: ReactNode;
}

/** What will be here, and the action that creates it. */
export function EmptyState({ icon, title, children, action }: EmptyProps) {
  return (
    <div className={classes.empty}>
      {icon === undefined ? null : (
        <span className={classes.emptyIcon}>
          <Icon of={icon} sizePx={28} />
        </span>
      )}
      {title === undefined ? null : <h2>{title}</h2>}
      <div className={classes.emptyText}>{children}</div>
      {action === undefined ? null : <Row>{action}</Row>}
    </div>
  );
}

interface ErrorProps {
  error: unknown;
  onRetry?: (() => void) | undefined;
  title?: string;
}

/** The server's sentence, retry, and the ids for support. */
export function ErrorState({ error, onRetry, title }: ErrorProps) {
  const text = useText('ui');
  const sentence = useSentenceOf()(error);
  return (
    <EmptyState
      icon={CircleAlert}
      title={title}
      action={onRetry === undefined ? undefined : <Button onClick={onRetry}>{text('tryAgain')}</Button>}
    >
      {sentence}
      <Evidence error={error} />
    </EmptyState>
  );
}

/** Show it next to the button. Renders nothing without an error. */
export function ProblemNotice({ error }: { error: unknown }) {
  const sentence = useSentenceOf()(error);
  if (error === null || error === undefined) return null;
  return (
    <Notice tone="danger">
      {sentence}
      <Evidence error={error} />
    </Notice>
  );
}

export function useSentenceOf(): (error: unknown) => string {
  const text = useText('ui');
  return (error) => {
    if (!(error instanceof ClientProblem)) return text('problemFallback');
    if (error.status === 0) return text('unreachable');
    return error.sentence === '' ? text('problemFallback') : error.sentence;
  };
}

/** Null if the error is about something else. */
export function problemAt(error: unknown, field: string): string | null {
  return error instanceof ClientProblem && error.field === field ? error.sentence : null;
}

function Evidence({ error }: { error: unknown }) {
  const text = useText('ui');
  if (!(error instanceof ClientProblem) || error.requestId === '') return null;
  return (
    <span className={classes.evidence}>
      {text('problemCode', { code: error.code })} · {text('requestId', { id: error.requestId })}
    </span>
  );
}

interface SkeletonProps {
  /** Number of text lines. */
  lines?: number;
  children?: ReactNode;
  onRetry?: (() => void) | undefined;
}

/** Nothing for the first 300 ms, then grey bars, after ten seconds a sentence. */
export function Skeleton({ lines = 3, children, onRetry }: SkeletonProps) {
  const text = useText('ui');
  const isLate = useAfter(300);
  const isVeryLate = useAfter(10_000);
  return (
    <div aria-busy="true">
      <span className="visually-hidden">{text('loading')}</span>
      <Stack gap={12}>
        {isLate ? (children ?? <SkeletonBars lines={lines} />) : null}
        {isVeryLate ? (
          <Row>
            {text('stillWorking')}
            {onRetry === undefined ? null : (
              <Button variant="quiet" size="small" onClick={onRetry}>
                {text('tryAgain')}
              </Button>
            )}
          </Row>
        ) : null}
      </Stack>
    </div>
  );
}

export function SkeletonBars({ lines }: { lines: number }) {
  const bars = Array.from({ length: lines }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: all alike
    <SkeletonBar key={index} width={index === lines - 1 ? '60%' : '100%'} />
  ));
  return <Stack gap={12}>{bars}</Stack>;
}

export function SkeletonBar({ width = '100%', height = '1rem' }: { width?: string; height?: string }) {
  return <span className={classes.bar} style={{ inlineSize: width, blockSize: height }} />;
}

function useAfter(ms: number): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return isOver;
}

interface LoadedProps<Answer> {
  query: { data: Answer | undefined; error: Error | null; refetch(): unknown };
  lines?: number;
  children: (answer: Answer) => ReactNode;
}

/** A placeholder, then the content or Try again. */
export function Loaded<Answer>({ query, lines = 3, children }: LoadedProps<Answer>) {
  const retry = () => void query.refetch();
  if (query.data !== undefined) return children(query.data);
  if (query.error !== null) return <ErrorState error={query.error} onRetry={retry} />;
  return <Skeleton lines={lines} onRetry={retry} />;
}
