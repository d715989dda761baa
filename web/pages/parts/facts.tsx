// The line of facts under a file or message: until when, who may open it, what is left.
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

export function Facts({ children }: { children: ReactNode }): ReactNode {
  return <ul className="facts">{children}</ul>;
}

interface FactProps {
  icon: IconName;
  isWarning?: boolean;
  children: ReactNode;
}

export function Fact({ icon, isWarning = false, children }: FactProps): ReactNode {
  return (
    <li className={isWarning ? 'fact-warning' : undefined}>
      <Icon name={isWarning ? 'warning' : icon} />
      <span>{children}</span>
    </li>
  );
}
