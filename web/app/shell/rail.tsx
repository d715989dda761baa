// The rail at the left of wide screens: the organisation, the places of the app, then account and administration.
import { Link } from '@tanstack/react-router';
import { CircleUser, type LucideIcon, ShieldCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { basePath } from '../host-page.ts';
import { useMe } from '../me.ts';
import { placesOf } from '../navigation.ts';
import { useText } from '../texts.ts';
import { Icon } from '../ui/icon.tsx';
import classes from './rail.module.css';

export function Rail() {
  const text = useText('shell');
  const me = useMe();
  return (
    <nav className={classes.rail} aria-label={text('mainNavigation')}>
      <Brand />
      <ul className={classes.list}>
        {placesOf(me).map(({ to, label, icon }) => (
          <li key={to}>
            <Link to={to} className={classes.item} activeProps={{ 'aria-current': 'page' }}>
              <PlaceWords icon={icon}>{text(label)}</PlaceWords>
            </Link>
          </li>
        ))}
      </ul>
      <ul className={classes.list}>
        <li>
          <Link to="/account" className={classes.item} activeProps={{ 'aria-current': 'page' }}>
            <PlaceWords icon={CircleUser}>{text('account')}</PlaceWords>
          </Link>
        </li>
        {me.features.administration ? (
          <li>
            <a href={`${basePath}/app/admin`} className={classes.item}>
              <PlaceWords icon={ShieldCheck}>{text('admin')}</PlaceWords>
            </a>
          </li>
        ) : null}
      </ul>
    </nav>
  );
}

export function PlaceWords({ icon, children }: { icon: LucideIcon; children: ReactNode }) {
  return (
    <>
      <Icon of={icon} />
      <span>{children}</span>
    </>
  );
}

/** The organisation's name with its mark; its own name always stands in front of ours. */
export function Brand() {
  const { organisation_name } = useMe();
  return (
    <div className={classes.brand}>
      <span className={classes.mark} aria-hidden="true">
        {Array.from(organisation_name.trim())[0]?.toLocaleUpperCase() ?? ''}
      </span>
      <span className={classes.name}>{organisation_name}</span>
    </div>
  );
}
