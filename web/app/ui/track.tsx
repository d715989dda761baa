import { Check, X } from 'lucide-react';
import { Icon } from './icon.tsx';
import classes from './track.module.css';

export interface Station {
  id: string;
  label: string;
  note?: string | undefined;
  /** `now`: in progress. */
  state: 'done' | 'now' | 'problem' | 'todo';
}

export function Track({ label, stations }: { label: string; stations: readonly Station[] }) {
  return (
    <ol className={classes.track} aria-label={label}>
      {stations.map(({ id, label: name, note, state }) => (
        <li key={id} className={classes.station} data-state={state}>
          <span className={classes.mark}>
            {state === 'done' ? <Icon of={Check} sizePx={14} /> : null}
            {state === 'problem' ? <Icon of={X} sizePx={14} /> : null}
          </span>
          <span className={classes.text}>
            <span className={classes.label}>{name}</span>
            {note === undefined || note === '' ? null : <span className={classes.note}>{note}</span>}
          </span>
        </li>
      ))}
    </ol>
  );
}
