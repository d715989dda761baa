// On phones filters are behind a button.
import { SlidersHorizontal } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import type { List } from '../list.ts';
import { useText } from '../texts.ts';
import { Button } from './button.tsx';
import classes from './filter-panel.module.css';
import { ClearFilters } from './filters.tsx';
import { useIsNarrow } from './narrow.ts';

interface Props {
  list: List;
  toolbar?: ReactNode;
  children: ReactNode;
}

export function FilterPanel({ list, toolbar, children }: Props) {
  const text = useText('ui');
  const id = useId();
  const isNarrow = useIsNarrow();
  const [isOpen, setOpen] = useState(false);
  const filters = (
    <search id={id} className={classes.filters} aria-label={text('filters')}>
      {children}
      <ClearFilters list={list} />
    </search>
  );
  if (!isNarrow)
    return (
      <div className={classes.wide}>
        {filters}
        {toolbar === undefined ? null : <div className={classes.toolbar}>{toolbar}</div>}
      </div>
    );
  const n = Object.keys(list.filters).length;
  return (
    <>
      <div className={classes.bar}>
        <div className={classes.count}>{toolbar}</div>
        <Button
          icon={SlidersHorizontal}
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          {n === 0 ? text('filters') : text('filtersSet', { n })}
        </Button>
      </div>
      {isOpen ? filters : null}
    </>
  );
}
