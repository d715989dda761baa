// What is to be known about something that came: until when, who else may open it, who else it went to.
import { Link } from '@tanstack/react-router';
import { CalendarClock, Clock, FolderInput, type LucideIcon, Users } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AppReceivedDetailBody } from '#contract/app/received.ts';
import { dayOf, daysAhead, longDate, timeOfDay, zoneName } from '../../../formats.ts';
import { visibleText } from '../../../visible.ts';
import { useMe, zoneOf } from '../../me.ts';
import { useLocale, useText } from '../../texts.ts';
import { Card } from '../../ui/card.tsx';
import { Icon } from '../../ui/icon.tsx';
import classes from './detail.module.css';

const soonDays = 3;
const dayMs = 86_400_000;
const audiences = ['audience0', 'audience1', 'audience2', 'audience3', 'audience4'] as const;

export function ReceivedFacts({ item }: { item: AppReceivedDetailBody }) {
  const text = useText('received');
  const locale = useLocale();
  const me = useMe();
  const daysLeft = Math.round((Date.parse(item.expires_at) - Date.parse(me.today)) / dayMs);
  const isOver = item.state === 'expired';
  const date = longDate(locale, item.expires_at);
  return (
    <Card title={text('facts')}>
      <ul className={classes.facts}>
        <Fact icon={CalendarClock} isWarning={!isOver && daysLeft <= soonDays}>
          {isOver
            ? text('factUntilPast', { date })
            : text('factUntil', { date, relative: daysAhead(locale, daysLeft) })}
          <span className={classes.small}>
            {text('factZone', { zone: zoneName(locale, me.time_zone, item.expires_at) })}
          </span>
        </Fact>
        <Fact icon={Clock}>{text('factReceived', { time: momentOf(locale, zoneOf(me), item.received_at) })}</Fact>
        {item.kind === 'message' ? (
          <Fact icon={Users}>
            {text(audiences[item.authorization]!, { organisation: me.organisation_name })}
            <People k="alsoTo" addresses={item.to} />
            <People k="copyTo" addresses={item.cc} />
          </Fact>
        ) : null}
        {item.request_id === null ? null : (
          <Fact icon={FolderInput}>
            <Link to="/requests/$id" params={{ id: item.request_id }}>
              {text('factRequest')}
            </Link>
          </Fact>
        )}
      </ul>
    </Card>
  );
}

function Fact({ icon, isWarning, children }: { icon: LucideIcon; isWarning?: boolean; children: ReactNode }) {
  return (
    <li className={classes.fact} data-tone={isWarning ? 'warning' : 'plain'}>
      <Icon of={icon} sizePx={18} />
      <div>{children}</div>
    </li>
  );
}

/** To and Cc, which the sender shares with everybody. */
function People({ k, addresses }: { k: 'alsoTo' | 'copyTo'; addresses: readonly string[] }) {
  const text = useText('received');
  const locale = useLocale();
  if (addresses.length === 0) return null;
  const people = new Intl.ListFormat(locale, { type: 'unit', style: 'short' }).format(addresses.map(visibleText));
  return <span className={classes.small}>{text(k, { people })}</span>;
}

function momentOf(locale: string, timeZone: string, instant: string): string {
  return `${longDate(locale, dayOf(timeZone, instant))}, ${timeOfDay(locale, timeZone, instant)}`;
}
