import { Link } from '@tanstack/react-router';
import { ArrowLeft, CircleUser, SlidersHorizontal } from 'lucide-react';
import { mayOpenConsole } from '../admin/roles.ts';
import { useMe } from '../me.ts';
import { navItemsOf } from '../navigation.ts';
import { useText } from '../texts.ts';
import { Icon } from '../ui/icon.tsx';
import { Stack } from '../ui/layout.tsx';
import { NavLink } from '../ui/nav-link.tsx';
import { ConsoleNavigation, useIsInConsole } from './console.tsx';
import { NewCount } from './new-count.tsx';
import classes from './shell.module.css';

export function Rail() {
  const text = useText('shell');
  const isInConsole = useIsInConsole();
  return (
    <nav className={classes.rail} aria-label={text(isInConsole ? 'adminNavigation' : 'mainNavigation')}>
      {isInConsole ? <BackToApp /> : null}
      <Brand />
      {isInConsole ? (
        <ConsoleNavigation />
      ) : (
        <>
          <AppNavigation />
          <div className={classes.railEnd}>
            <Stack as="ul" gap={2}>
              <AccountItems />
            </Stack>
          </div>
        </>
      )}
    </nav>
  );
}

function AppNavigation() {
  const text = useText('shell');
  return (
    <Stack as="ul" gap={2}>
      {navItemsOf(useMe()).map(({ to, label, icon }) => (
        <li key={to}>
          <NavLink to={to} icon={icon} mark={<NewCount of={to} />}>
            {text(label)}
          </NavLink>
        </li>
      ))}
    </Stack>
  );
}

export function AccountItems({ onNavigate }: { onNavigate?: () => void }) {
  const text = useText('shell');
  return (
    <>
      <li>
        <NavLink to="/account" icon={CircleUser} onClick={onNavigate}>
          {text('account')}
        </NavLink>
      </li>
      {mayOpenConsole(useMe().role) ? (
        <li>
          <NavLink to="/admin" icon={SlidersHorizontal} onClick={onNavigate}>
            {text('admin')}
          </NavLink>
        </li>
      ) : null}
    </>
  );
}

function BackToApp() {
  const text = useText('shell');
  return (
    <Link to="/" className={classes.back!}>
      <Icon of={ArrowLeft} sizePx={16} />
      {text('backToApp')}
    </Link>
  );
}

export function Brand() {
  const { organisation_name } = useMe();
  return (
    <div className={classes.brand}>
      <span className={classes.mark} aria-hidden="true">
        {/[\p{L}\p{N}]/u.exec(organisation_name)?.[0]?.toLocaleUpperCase() ?? ''}
      </span>
      <bdi className={classes.brandName}>{organisation_name}</bdi>
    </div>
  );
}
