import { useNavigate } from '@tanstack/react-router';
import { CircleUser, Keyboard, LogOut, Monitor, Moon, Sun } from 'lucide-react';
import { useRef, useSyncExternalStore } from 'react';
import { visibleText } from '../../visible.ts';
import { basePath } from '../host-page.ts';
import { useMe } from '../me.ts';
import { useChosenScheme } from '../scheme.ts';
import { fetchMe, session } from '../session.ts';
import { showShortcuts } from '../shortcuts.ts';
import { clearStored } from '../storage.ts';
import { useText } from '../texts.ts';
import { Muted } from '../ui/layout.tsx';
import { Menu } from '../ui/menu.tsx';
import classes from './shell.module.css';

const themes: {
  value: 'system' | 'light' | 'dark';
  icon: typeof Sun;
  label: 'schemeAuto' | 'schemeLight' | 'schemeDark';
}[] = [
  { value: 'system', icon: Monitor, label: 'schemeAuto' },
  { value: 'light', icon: Sun, label: 'schemeLight' },
  { value: 'dark', icon: Moon, label: 'schemeDark' },
];

export function AccountMenu() {
  const text = useText('shell');
  const me = useMe();
  const navigate = useNavigate();
  const [theme, choose] = useChosenScheme();
  const form = useRef<HTMLFormElement>(null);
  const { csrf } = useSyncExternalStore(session.listen, session.read);
  const name = visibleText(me.name === '' ? me.email : me.name);
  const signOut = async () => {
    // Another tab may have replaced the token.
    await fetchMe().catch(() => null);
    await clearStored(me.id);
    form.current?.requestSubmit();
  };
  return (
    <>
      <Menu
        label={text('accountMenu', { name })}
        trigger={<span className={classes.initials} data-initials={initialsOf(name)} />}
        heading={
          <>
            <strong>{name}</strong>
            {me.name === '' ? null : <Muted as="span">{me.email}</Muted>}
          </>
        }
        groups={[
          { items: [{ label: text('account'), icon: CircleUser, onClick: () => void navigate({ to: '/account' }) }] },
          {
            label: text('scheme'),
            items: themes.map(({ value, icon, label }) => ({
              label: text(label),
              icon,
              isChosen: theme === value,
              onClick: () => choose(value),
            })),
          },
          {
            items: [
              { label: text('shortcuts'), icon: Keyboard, onClick: showShortcuts },
              { label: text('signOut'), icon: LogOut, onClick: () => void signOut() },
            ],
          },
        ]}
      />
      <form ref={form} method="post" action={`${basePath}/sign-out`} hidden>
        <input type="hidden" name="csrf" value={csrf} />
      </form>
    </>
  );
}

function initialsOf(name: string): string {
  const words = name.split(/[\s@.]+/).filter((word) => word !== '');
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined];
  return letters
    .map((word) => Array.from(word ?? '')[0] ?? '')
    .join('')
    .toLocaleUpperCase();
}
