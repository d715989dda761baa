import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import classes from './timeline.module.css';

export interface TimelineEvent {
  id: string;
  icon: LucideIcon;
  sentence: ReactNode;
  /** For people; `instant` is for machines. */
  time: string;
  instant: string;
  tone?: 'plain' | 'success' | 'warning' | 'danger' | undefined;
  details?: ReactNode;
}

export function Timeline({ events, label }: { events: readonly TimelineEvent[]; label: string }) {
  return (
    <ol className={classes.list} aria-label={label}>
      {events.map(({ id, icon, sentence, time, instant, tone = 'plain', details }) => (
        <li key={id} className={classes.event} data-tone={tone}>
          <span className={classes.icon}>
            <Icon of={icon} sizePx={16} />
          </span>
          <div className={classes.text}>
            <span>{sentence}</span>
            <time dateTime={instant} className={classes.time}>
              {time}
            </time>
            {details === undefined ? null : <div className={classes.details}>{details}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}
