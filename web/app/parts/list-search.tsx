// Words to look for in one list; they stand in the address as `q` a moment after the last key.
import { useEffect, useRef, useState } from 'react';
import type { List } from '../list.ts';
import { TextField } from '../ui/field.tsx';
import classes from './list-search.module.css';

const pauseMs = 250;

export function ListSearch({ list, label }: { list: List; label: string }) {
  const asked = list.filters.q ?? '';
  const [typed, setTyped] = useState(asked);
  // What stands in the address because of the keys here must not overwrite the next ones.
  const own = useRef(asked);
  useEffect(() => {
    if (asked !== own.current) setTyped(asked);
    own.current = asked;
  }, [asked]);
  useEffect(() => {
    if (typed.trim() === asked) return;
    const timer = setTimeout(() => {
      own.current = typed.trim();
      list.filter({ q: typed.trim() });
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [typed, asked, list]);
  return (
    <div className={classes.search}>
      <TextField label={label} type="search" value={typed} onChange={setTyped} maxLength={200} />
    </div>
  );
}
