// A picture beside words, or in their place with a name: <Icon of={Send} /> or <Icon of={Lock} label="…" />.
// Pictures come from lucide-react, each imported by the file that shows it.
import type { LucideIcon } from 'lucide-react';

interface Props {
  of: LucideIcon;
  /** Left out where there are words beside it: then it is decoration. */
  label?: string;
  sizePx?: number;
  className?: string;
}

export function Icon({ of: Picture, label, sizePx = 20, className }: Props) {
  const name = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label };
  return <Picture size={sizePx} strokeWidth={1.75} {...name} {...(className === undefined ? {} : { className })} />;
}
