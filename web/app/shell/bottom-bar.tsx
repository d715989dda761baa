// The bar at the bottom of small screens: Send, Sent, Received, and More with everything else.
import { Link } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { useMe } from '../me.ts';
import { placesOf } from '../navigation.ts';
import { useText } from '../texts.ts';
import { Drawer } from '../ui/drawer.tsx';
import { Icon } from '../ui/icon.tsx';
import { Stack } from '../ui/layout.tsx';
import { NavLink } from '../ui/nav-link.tsx';
import classes from './bottom-bar.module.css';
import { NewCount } from './new-count.tsx';
import { PersonPlaces } from './rail.tsx';

export function BottomBar() {
  const text = useText('shell');
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const places = placesOf(useMe());
  return (
    <nav className={classes.bar} aria-label={text('mainNavigation')}>
      {places
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
      <button type="button" className={classes.item} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon of={Ellipsis} />
        <span>{text('more')}</span>
      </button>
      <Drawer title={text('moreTitle')} side="bottom" isOpen={isOpen} onClose={close}>
        <Stack as="ul" gap={4}>
          {places
            .filter(({ isInBar }) => !isInBar)
            .map(({ to, label, icon }) => (
              <li key={to}>
                <NavLink to={to} icon={icon} onClick={close}>
                  {text(label)}
                </NavLink>
              </li>
            ))}
          <PersonPlaces onGo={close} />
        </Stack>
      </Drawer>
    </nav>
  );
}
