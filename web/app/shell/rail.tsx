// The rail at the left of wide screens: the organisation, the places of the app, then the account.
import { CircleUser } from 'lucide-react';
import { useMe } from '../me.ts';
import { placesOf } from '../navigation.ts';
import { useText } from '../texts.ts';
import { Stack } from '../ui/layout.tsx';
import { NavLink } from '../ui/nav-link.tsx';
import { NewCount } from './new-count.tsx';
import classes from './shell.module.css';

export function Rail() {
  const text = useText('shell');
  return (
    <nav className={classes.rail} aria-label={text('mainNavigation')}>
      <Brand />
      <Stack as="ul" gap={2}>
        {placesOf(useMe()).map(({ to, label, icon }) => (
          <li key={to}>
            <NavLink to={to} icon={icon} mark={<NewCount of={to} />}>
              {text(label)}
            </NavLink>
          </li>
        ))}
      </Stack>
      <div className={classes.railEnd}>
        <Stack as="ul" gap={2}>
          <PersonPlaces />
        </Stack>
      </div>
    </nav>
  );
}

/** What belongs to the person rather than to their files. */
export function PersonPlaces({ onGo }: { onGo?: () => void }) {
  const text = useText('shell');
  return (
    <li>
      <NavLink to="/account" icon={CircleUser} onClick={onGo}>
        {text('account')}
      </NavLink>
    </li>
  );
}

/** The organisation's name with its mark; its own name always comes before ours. */
export function Brand() {
  const { organisation_name } = useMe();
  return (
    <div className={classes.brand}>
      <span className={classes.mark} aria-hidden="true">
        {Array.from(organisation_name.trim())[0]?.toLocaleUpperCase() ?? ''}
      </span>
      <span className={classes.brandName}>{organisation_name}</span>
    </div>
  );
}
