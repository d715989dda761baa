import { Link } from '@tanstack/react-router';
import { ArrowLeft, Ellipsis, SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { useMe } from '../me.ts';
import { navItemsOf } from '../navigation.ts';
import { useText } from '../texts.ts';
import { Drawer } from '../ui/drawer.tsx';
import { Icon } from '../ui/icon.tsx';
import { Stack } from '../ui/layout.tsx';
import { NavLink } from '../ui/nav-link.tsx';
import classes from './bottom-bar.module.css';
import { ConsoleNavigation, useIsInConsole } from './console.tsx';
import { NewCount } from './new-count.tsx';
import { AccountItems } from './rail.tsx';

export function BottomBar() {
  return useIsInConsole() ? <ConsoleBar /> : <AppBar />;
}

function AppBar() {
  const text = useText('shell');
  const more = useDrawer();
  const items = navItemsOf(useMe());
  return (
    <nav className={classes.bar} aria-label={text('mainNavigation')}>
      {items
        .filter(({ isInBar }) => isInBar)
        .map(({ to, label, icon }) => (
          <Link key={to} to={to} className={classes.item}>
            <Icon of={icon} />
            <span>{text(label === 'send' ? 'sendShort' : label)}</span>
            <span className={classes.mark}>
              <NewCount of={to} />
            </span>
          </Link>
        ))}
      <button type="button" className={classes.item} aria-haspopup="dialog" onClick={more.open}>
        <Icon of={Ellipsis} />
        <span>{text('more')}</span>
      </button>
      <Drawer title={text('moreTitle')} side="bottom" isOpen={more.isOpen} onClose={more.close}>
        <Stack as="ul" gap={4}>
          {items
            .filter(({ isInBar }) => !isInBar)
            .map(({ to, label, icon }) => (
              <li key={to}>
                <NavLink to={to} icon={icon} onClick={more.close}>
                  {text(label)}
                </NavLink>
              </li>
            ))}
          <AccountItems onNavigate={more.close} />
        </Stack>
      </Drawer>
    </nav>
  );
}

/** The console has too many entries for a bar. */
function ConsoleBar() {
  const text = useText('shell');
  const menu = useDrawer();
  return (
    <nav className={classes.bar} aria-label={text('adminNavigation')}>
      <Link to="/" className={classes.item} activeOptions={{ exact: true }}>
        <Icon of={ArrowLeft} />
        <span>{text('backToAppShort')}</span>
      </Link>
      <button type="button" className={classes.item} aria-haspopup="dialog" onClick={menu.open}>
        <Icon of={SlidersHorizontal} />
        <span>{text('adminMenu')}</span>
      </button>
      <Drawer title={text('admin')} side="bottom" isOpen={menu.isOpen} onClose={menu.close}>
        <ConsoleNavigation onNavigate={menu.close} />
      </Drawer>
    </nav>
  );
}

function useDrawer() {
  const [isOpen, setOpen] = useState(false);
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) };
}
