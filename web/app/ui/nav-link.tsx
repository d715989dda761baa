// A place to go in a list of places: picture and name. Knows by itself when it is the current one.
import { createLink } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';
import type { AnchorHTMLAttributes, Ref } from 'react';
import { Icon } from './icon.tsx';
import classes from './nav-link.module.css';

interface Props extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'className'> {
  icon: LucideIcon;
  ref?: Ref<HTMLAnchorElement>;
}

/** Any address, such as one outside of the app's own routes. */
export function NavAnchor({ icon, children, ...rest }: Props) {
  return (
    <a {...rest} className={classes.link}>
      <Icon of={icon} />
      <span>{children}</span>
    </a>
  );
}

/** An address of the app. */
export const NavLink = createLink(NavAnchor);
