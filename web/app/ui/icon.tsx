// `<Icon of={Send} />` next to text, or `<Icon of={Lock} label="…" />` alone.
import type { LucideIcon } from 'lucide-react';

interface Props {
  of: LucideIcon;
  /** Omit it next to text: the icon is then decorative. */
  label?: string;
  sizePx?: number;
  className?: string;
}

export function Icon({ of: Picture, label, sizePx = 20, className }: Props) {
  const name = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label };
  return <Picture size={sizePx} strokeWidth={1.75} {...name} {...(className === undefined ? {} : { className })} />;
}
