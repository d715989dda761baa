import type { ReactNode } from 'react';
import { daysAhead, longDate, zoneName } from '../../formats.ts';
import type { UntilDate } from '../props.ts';
import { Say, useFrame, useText } from './frame.tsx';
import { Icon, type IconName } from './icon.tsx';

/** `freshAs`: the name under which the script updates them. */
export function Facts({ freshAs, children }: { freshAs?: string; children: ReactNode }): ReactNode {
  return (
    <ul className="facts" data-fresh={freshAs}>
      {children}
    </ul>
  );
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

/** Days before the end. */
const warnDays = 3;

/** The day ends in this time zone. */
export function UntilFact({ until }: { until: UntilDate | null }): ReactNode {
  const { locale, timeZone } = useFrame();
  const say = useText();
  if (until === null) return <Fact icon="clock">{say('part.noEnd')}</Fact>;
  const date = <strong>{longDate(locale, until.date)}</strong>;
  return (
    <Fact icon="clock" isWarning={until.daysLeft <= warnDays}>
      <Say k="part.until" with={{ date, relative: daysAhead(locale, until.daysLeft) }} />
      <span className="fact-detail">{say('part.untilZone', { zone: zoneName(locale, timeZone, until.date) })}</span>
    </Fact>
  );
}
