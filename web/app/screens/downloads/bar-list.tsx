import { useState } from 'react';
import { useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Stack } from '../../ui/layout.tsx';
import classes from './downloads.module.css';

export interface BarListRow {
  key: string;
  name: string;
  count: string;
  amount: number;
}

interface Props {
  label: string;
  rows: readonly BarListRow[];
  chosen: string | undefined;
  /** Undefined removes the filter. */
  onChoose: (key: string | undefined) => void;
  onHover?: (key: string | null) => void;
}

const shownAtFirst = 6;

export function BarList({ label, rows, chosen, onChoose, onHover }: Props) {
  const text = useText('downloads');
  const [isWhole, setWhole] = useState(false);
  const most = Math.max(1, ...rows.map(({ amount }) => amount));
  const hidden = rows.length - shownAtFirst;
  return (
    <Stack gap={12}>
      <ul className={classes.rows} aria-label={label}>
        {(isWhole ? rows : rows.slice(0, shownAtFirst)).map(({ key, name, count, amount }) => (
          <li key={key}>
            <button
              type="button"
              className={classes.row}
              aria-pressed={key === chosen}
              onClick={() => onChoose(key === chosen ? undefined : key)}
              onMouseEnter={() => onHover?.(key)}
              onMouseLeave={() => onHover?.(null)}
              onFocus={() => onHover?.(key)}
              onBlur={() => onHover?.(null)}
            >
              <bdi className={classes.rowName}>{name}</bdi>
              <span className={classes.rowCount}>{count}</span>
              <span className={classes.share}>
                <span style={{ inlineSize: `${(100 * amount) / most}%` }} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {hidden > 0 ? (
        <div>
          <Button size="small" variant="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? text('showLess') : text('showMore', { n: hidden })}
          </Button>
        </div>
      ) : null}
    </Stack>
  );
}
