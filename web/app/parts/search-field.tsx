// The search field at the top: leads to the search screen with what was typed. `/` brings the focus here.
import { Link, useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { type FormEvent, useRef } from 'react';
import { useText } from '../texts.ts';
import { Icon } from '../ui/icon.tsx';
import classes from './search-field.module.css';

/** Where the shortcut puts the focus. */
export const searchFieldId = 'search-everything';

export function SearchField() {
  const text = useText('shell');
  const navigate = useNavigate();
  const input = useRef<HTMLInputElement>(null);
  const search = (event: FormEvent) => {
    event.preventDefault();
    const q = input.current?.value.trim() ?? '';
    void navigate({ to: '/search', search: (q === '' ? {} : { q }) as never });
  };
  return (
    <>
      <search className={classes.field}>
        <form onSubmit={search} className={classes.form}>
          <Icon of={Search} className={classes.icon!} />
          <input
            ref={input}
            id={searchFieldId}
            type="search"
            name="q"
            className={classes.input}
            aria-label={text('search')}
            placeholder={text('searchHint')}
            autoComplete="off"
          />
        </form>
      </search>
      <Link to="/search" className={classes.button} aria-label={text('search')}>
        <Icon of={Search} />
      </Link>
    </>
  );
}
