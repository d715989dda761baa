// One primary action per page.
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger';

interface ButtonProps {
  variant?: ButtonVariant;
  icon?: IconName;
  /** Read by screen readers; must begin with the visible label. */
  name?: string;
  children: ReactNode;
}

export function Button({ variant = 'primary', icon, name, children }: ButtonProps): ReactNode {
  return (
    <button type="submit" className={`button button-${variant}`} aria-label={name}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

export function ButtonLink({ href, variant = 'secondary', icon, children }: ButtonProps & { href: string }): ReactNode {
  return (
    <a href={href} className={`button button-${variant}`}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}
