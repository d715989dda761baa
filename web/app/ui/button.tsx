// A busy button keeps its width and label.
import { createLink } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, MouseEvent, ReactNode, Ref } from 'react';
import { useText } from '../texts.ts';
import classes from './button.module.css';
import { Icon } from './icon.tsx';

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger';

interface ButtonStyle {
  /** At most one primary button per screen; danger for destructive actions. */
  variant?: ButtonVariant;
  size?: 'normal' | 'small';
  icon?: LucideIcon;
  isWide?: boolean;
}

interface ButtonProps extends ButtonStyle, Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'disabled'> {
  isBusy?: boolean;
  /** Stays focusable; explain why next to it. */
  isDisabled?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ variant, size, icon, isWide, isBusy, isDisabled, children, onClick, ...rest }: ButtonProps) {
  const text = useText('ui');
  const isOff = isBusy === true || isDisabled === true;
  const handleClick = (event: MouseEvent<HTMLButtonElement>) => {
    if (isOff) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <button
      type="button"
      {...rest}
      onClick={handleClick}
      className={classOf({ variant, size, isWide })}
      {...(isOff ? { 'aria-disabled': true } : {})}
      {...(isBusy ? { 'data-busy': true } : {})}
    >
      <Inside icon={icon}>{children}</Inside>
      {isBusy ? (
        <span className={classes.spinner}>
          <span className="visually-hidden">{text('busy')}</span>
        </span>
      ) : null}
    </button>
  );
}

interface AnchorProps extends ButtonStyle, Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'className'> {
  ref?: Ref<HTMLAnchorElement>;
}

function Anchor({ variant, size, icon, isWide, children, ...rest }: AnchorProps) {
  return (
    <a {...rest} className={classOf({ variant, size, isWide })}>
      <Inside icon={icon}>{children}</Inside>
    </a>
  );
}

/** Inside the app: `<ButtonLink to="/send" variant="primary">`. */
export const ButtonLink = createLink(Anchor);

/** Any other URL, such as a download. */
export const ButtonAnchor = Anchor;

export function IconButton({
  icon,
  label,
  ref,
  ...rest
}: {
  icon: LucideIcon;
  label: string;
  ref?: Ref<HTMLButtonElement>;
} & Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'>) {
  return (
    <button type="button" {...rest} ref={ref} className={classes.iconOnly} aria-label={label} title={label}>
      <Icon of={icon} />
    </button>
  );
}

function Inside({ icon, children }: { icon: LucideIcon | undefined; children: ReactNode }) {
  return (
    <span className={classes.inside}>
      {icon === undefined ? null : <Icon of={icon} sizePx={18} />}
      <span>{children}</span>
    </span>
  );
}

function classOf({ variant = 'secondary', size, isWide }: Record<keyof Omit<ButtonStyle, 'icon'>, unknown>): string {
  const names = ['button', String(variant), size === 'small' ? 'small' : '', isWide === true ? 'wide' : ''];
  return names.map((word) => (word === '' ? '' : (classes[word] ?? ''))).join(' ');
}
