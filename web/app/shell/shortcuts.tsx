// Single keys, never inside fields; can be disabled. `j` and `k` move between elements with `data-row`.

import { useNavigate } from '@tanstack/react-router';
import { Fragment, useEffect, useRef, useSyncExternalStore } from 'react';
import { mayOpenConsole } from '../admin/roles.ts';
import { useApiChange } from '../api.ts';
import { useMe } from '../me.ts';
import { navItemsOf } from '../navigation.ts';
import { showSearch } from '../search-dialog.ts';
import { hideShortcuts, shortcutList, showShortcuts } from '../shortcuts.ts';
import { type TextKey, useText } from '../texts.ts';
import { Switch } from '../ui/choice.tsx';
import { Dialog } from '../ui/dialog.tsx';
import classes from './shortcuts.module.css';

export function Shortcuts() {
  const { isOpen } = useSyncExternalStore(shortcutList.listen, shortcutList.read);
  useKeys();
  return isOpen ? <ShortcutList /> : null;
}

function ShortcutList() {
  const text = useText('shell');
  const me = useMe();
  const change = useApiChange('changeProfile', ['me', 'account']);
  const keys: [string[], TextKey<'shell'>, boolean][] = [
    [['?'], 'keyHelp', true],
    [['n'], 'keyNew', me.features.messages],
    [['l'], 'keyNewLink', me.features.links],
    [['r'], 'keyNewRequest', me.features.requests],
    [['/'], 'keySearch', true],
    [[text('searchKeys')], 'keySearch', true],
    [['g', 's'], 'keyGoSent', me.features.messages],
    [['g', 'i'], 'keyGoReceived', true],
    [['g', 'l'], 'keyGoLinks', me.features.links],
    [['g', 'f'], 'keyGoRequests', me.features.requests],
    [['g', 'd'], 'keyGoLog', true],
    [['g', 'a'], 'keyGoAdmin', mayOpenConsole(me.role)],
    [['j'], 'keyDown', true],
    [['k'], 'keyUp', true],
  ];
  return (
    <Dialog title={text('shortcuts')} onClose={hideShortcuts}>
      <dl className={classes.list}>
        {keys
          .filter(([, , isAvailable]) => isAvailable)
          .map(([pressed, label]) => (
            <Fragment key={pressed.join()}>
              <dt>
                {pressed.map((key, index) => (
                  <Fragment key={key}>
                    {index > 0 ? <span className={classes.then}>{text('then')}</span> : null}
                    <kbd className={classes.key}>{key}</kbd>
                  </Fragment>
                ))}
              </dt>
              <dd>{text(label)}</dd>
            </Fragment>
          ))}
      </dl>
      <Switch
        label={text('turnOffShortcuts')}
        defaultChecked={me.preferences.shortcut_keys}
        onChange={(isOn) => change.mutate({ body: { shortcut_keys: isOn } })}
      />
    </Dialog>
  );
}

const secondLetterMs = 1_500;

function useKeys(): void {
  const me = useMe();
  const navigate = useNavigate();
  // A ref, because a refetch of the user may re-render between two keys.
  const wentAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const items = navItemsOf(me);
    const onKeyDown = (event: KeyboardEvent) => {
      if (isSearchKey(event)) return openSearch(event);
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('[role="dialog"]') !== null || !me.preferences.shortcut_keys) return;
      const isSecond = event.timeStamp - wentAt.current < secondLetterMs;
      wentAt.current = !isSecond && event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      const act = isSecond ? goTo(event.key) : single(event.key);
      if (act === null) return;
      event.preventDefault();
      act();
    };
    const goTo = (key: string) => {
      if (key === 'a' && mayOpenConsole(me.role)) return () => void navigate({ to: '/admin' });
      const item = items.find((candidate) => candidate.key === key);
      return item === undefined ? null : () => void navigate({ to: item.to });
    };
    const single = (key: string): (() => void) | null => {
      if (key === '?') return showShortcuts;
      if (key === '/') return showSearch;
      if (key === 'j' || key === 'k') return () => moveRow(key === 'j' ? 1 : -1);
      if (key === 'n' && me.features.messages) return () => void navigate({ to: '/send' });
      if (key === 'l' && me.features.links) return () => void navigate({ to: '/links', search: { new: '1' } as never });
      if (key === 'r' && me.features.requests)
        return () => void navigate({ to: '/requests', search: { new: '1' } as never });
      return null;
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [me, navigate]);
}

/** Also in fields, unless one uses the key itself. */
function isSearchKey({ ctrlKey, metaKey, altKey, shiftKey, key, defaultPrevented }: KeyboardEvent): boolean {
  return !defaultPrevented && ctrlKey !== metaKey && !altKey && !shiftKey && key.toLowerCase() === 'k';
}

function openSearch(event: KeyboardEvent): void {
  event.preventDefault();
  if (document.querySelector('[role="dialog"][aria-modal="true"]') === null) showSearch();
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable || target.closest('input, textarea, select, [role="menu"], [role="listbox"]') !== null
  );
}

function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const now = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[now === -1 ? (step === 1 ? 0 : rows.length - 1) : now + step];
  next?.querySelector<HTMLElement>('a[href], button')?.focus();
}
