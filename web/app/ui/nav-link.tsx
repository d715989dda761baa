import { createLink } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';
import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react';
import { Icon } from './icon.tsx';
import classes from './nav-link.module.css';

interface Props extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'className'> {
  icon: LucideIcon;
  mark?: ReactNode;
  isDense?: boolean;
  ref?: Ref<HTMLAnchorElement>;
}

function NavAnchor({ icon, mark, isDense, children, ...rest }: Props) {
  return (
    <a {...rest} className={classes.link} data-dense={isDense}>
      <Icon of={icon} {...(isDense ? { sizePx: 18 } : {})} />
      <span className={classes.name}>{children}</span>
      {mark}
    </a>
  );
}

export const NavLink = createLink(NavAnchor);
