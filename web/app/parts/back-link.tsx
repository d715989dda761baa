// The way back from a detail to its list, above the h1.
import { Link } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { Icon } from '../ui/icon.tsx';
import classes from './back-link.module.css';

export function BackLink({ to, children }: { to: '/links' | '/requests'; children: string }) {
  return (
    <Link to={to} className={classes.back!}>
      <Icon of={ChevronLeft} sizePx={16} />
      {children}
    </Link>
  );
}
