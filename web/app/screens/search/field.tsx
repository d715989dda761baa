// Enter opens the search screen, which then uses this field. Small screens have a button to the screen.
import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { type FocusEvent, type FormEvent, type KeyboardEvent, lazy, Suspense, useEffect, useState } from 'react';
import { fetchFile } from '../../lazy-files.tsx';
import { useSearchParams } from '../../search-params.ts';
import { currentLocale, loadTexts, useText } from '../../texts.ts';
import { Icon } from '../../ui/icon.tsx';
import { moveInResults } from './arrow-keys.ts';
import classes from './search.module.css';

export const searchFieldId = 'search-everything';
/** The field of the search screen on small screens. */
export const ownSearchFieldId = 'search-here';

// Lazy-loaded when the field is first used.
const SearchDropdown = lazy(() =>
  fetchFile(async () => {
    const [list] = await Promise.all([import('./dropdown.tsx'), loadTexts(currentLocale(), ['search'])]);
    return { default: list.SearchDropdown };
  }),
);

export function SearchField() {
  const text = useText('shell');
  const isOnScreen = useRouterState({ select: ({ location }) => location.pathname === '/search' });
  return (
    <>
      <div className={classes.field}>{isOnScreen ? <FieldOfScreen /> : <FieldWithList />}</div>
      {isOnScreen ? null : (
        <Link to="/search" className={classes.button} aria-label={text('search')}>
          <Icon of={Search} />
        </Link>
      )}
    </>
  );
}

function FieldWithList() {
  const [typed, setTyped] = useState('');
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const close = () => setOpen(false);
  const search = (event: FormEvent) => {
    event.preventDefault();
    close();
    const q = typed.trim();
    void navigate({ to: '/search', search: (q === '' ? {} : { q }) as never });
  };
  const leave = (event: FocusEvent<HTMLElement>) => {
    if (!event.currentTarget.contains(event.relatedTarget)) close();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'ArrowDown' && !isOpen) setOpen(true);
    if (event.key !== 'Escape') return void moveInResults(event);
    if (!isOpen) return;
    event.preventDefault();
    document.getElementById(searchFieldId)?.focus();
    close();
  };
  return (
    <search onBlur={leave} onKeyDown={onKeyDown}>
      <form onSubmit={search} className={classes.form}>
        <Input
          value={typed}
          onChange={(value) => {
            setTyped(value);
            setOpen(true);
          }}
          onClick={() => setOpen(true)}
          isOpen={isOpen}
        />
      </form>
      {isOpen ? (
        <div id={`${searchFieldId}-list`} className={classes.list}>
          <Suspense>
            <SearchDropdown
              typed={typed.trim()}
              onOpen={() => {
                close();
                setTyped('');
              }}
            />
          </Suspense>
        </div>
      ) : null}
    </search>
  );
}

export function FieldOfScreen({ isOwn = false }: { isOwn?: boolean }) {
  const { params, change } = useSearchParams();
  const [typed, setTyped] = useState(params.q ?? '');
  const inAddress = params.q ?? '';
  // Changed by Back, Forward, or a link.
  useEffect(() => setTyped((now) => (now.trim() === inAddress ? now : inAddress)), [inAddress]);
  return (
    <search onKeyDown={moveInResults}>
      <form className={classes.form} onSubmit={(event) => event.preventDefault()}>
        <Input
          value={typed}
          isOwn={isOwn}
          onChange={(value) => {
            setTyped(value);
            change({ q: value.trim() === '' ? undefined : value.trim() });
          }}
        />
      </form>
    </search>
  );
}

interface InputProps {
  value: string;
  onChange: (value: string) => void;
  onClick?: () => void;
  isOpen?: boolean;
  /** On the screen itself, because the top bar has none. */
  isOwn?: boolean;
}

function Input({ value, onChange, onClick, isOpen, isOwn = false }: InputProps) {
  const text = useText('shell');
  return (
    <>
      <Icon of={Search} className={classes.icon!} />
      <input
        id={isOwn ? ownSearchFieldId : searchFieldId}
        type="search"
        data-search=""
        className={classes.input}
        aria-label={text('search')}
        placeholder={text('searchHint')}
        autoComplete="off"
        maxLength={200}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        onClick={onClick}
        {...(isOpen === true ? { 'aria-controls': `${searchFieldId}-list` } : {})}
      />
    </>
  );
}
