// The bar at the bottom of small screens: Send, Sent, Received, and More with everything else.
import { Link } from '@tanstack/react-router';
import { CircleUser, Ellipsis, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { basePath } from '../host-page.ts';
import { useMe } from '../me.ts';
import { placesOf } from '../navigation.ts';
import { useText } from '../texts.ts';
import { Drawer } from '../ui/drawer.tsx';
import { Icon } from '../ui/icon.tsx';
import classes from './bottom-bar.module.css';
import { PlaceWords } from './rail.tsx';

export function BottomBar() {
  const text = useText('shell');
  const me = useMe();
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const places = placesOf(me);
  return (
    <nav className={classes.bar} aria-label={text('mainNavigation')}>
      {places
        .filter(({ isInBar }) => isInBar)
        .map(({ to, label, icon }) => (
          <Link key={to} to={to} className={classes.item} activeProps={{ 'aria-current': 'page' }}>
            <Icon of={icon} />
            <span>{text(label === 'send' ? 'sendShort' : label)}</span>
          </Link>
        ))}
      <button type="button" className={classes.item} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon of={Ellipsis} />
        <span>{text('more')}</span>
      </button>
      <Drawer title={text('moreTitle')} side="bottom" isOpen={isOpen} onClose={close}>
        <ul className={classes.list}>
          {places
            .filter(({ isInBar }) => !isInBar)
            .map(({ to, label, icon }) => (
              <li key={to}>
                <Link to={to} className={classes.row} activeProps={{ 'aria-current': 'page' }} onClick={close}>
                  <PlaceWords icon={icon}>{text(label)}</PlaceWords>
                </Link>
              </li>
            ))}
          <li>
            <Link to="/account" className={classes.row} activeProps={{ 'aria-current': 'page' }} onClick={close}>
              <PlaceWords icon={CircleUser}>{text('account')}</PlaceWords>
            </Link>
          </li>
          {me.features.administration ? (
            <li>
              <a href={`${basePath}/app/admin`} className={classes.row}>
                <PlaceWords icon={ShieldCheck}>{text('admin')}</PlaceWords>
              </a>
            </li>
          ) : null}
        </ul>
      </Drawer>
    </nav>
  );
}
