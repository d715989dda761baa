import { Link } from '@tanstack/react-router';
import { CalendarClock, Clock, FolderInput, Users } from 'lucide-react';
import type { AppReceivedDetailBody } from '#contract/app/received.ts';
import { visibleText } from '../../../visible.ts';
import { daysUntil } from '../../dates.ts';
import { useFormats } from '../../formats.ts';
import { useMe } from '../../me.ts';
import type { KnownNames } from '../../names.ts';
import { useText } from '../../texts.ts';
import { Card } from '../../ui/card.tsx';
import { Muted, Note, Stack } from '../../ui/layout.tsx';

const soonDays = 3;
const audiences = ['audience0', 'audience1', 'audience2', 'audience3', 'audience4'] as const;

export function ReceivedFacts({ item }: { item: AppReceivedDetailBody }) {
  const text = useText('received');
  const formats = useFormats();
  const me = useMe();
  const isOver = item.state === 'expired';
  const isSoon = !isOver && daysUntil(me.today, item.expires_at) <= soonDays;
  const date = formats.longDate(item.expires_at);
  const received = `${formats.longDate(formats.dayOf(item.received_at))}, ${formats.time(item.received_at)}`;
  return (
    <Card title={text('facts')}>
      <Stack as="ul" gap={12}>
        <Note as="li" icon={CalendarClock} tone={isSoon ? 'warning' : 'plain'}>
          {isOver
            ? text('factUntilPast', { date })
            : text('factUntil', { date, relative: formats.relative(item.expires_at) })}
          <Muted>{text('factZone', { zone: formats.zoneOn(item.expires_at) })}</Muted>
        </Note>
        <Note as="li" icon={Clock}>
          {text('factReceived', { time: received })}
        </Note>
        {item.kind === 'message' ? (
          <Note as="li" icon={Users}>
            {text(audiences[item.authorization]!, {
              n: item.is_only_recipient ? 1 : 2,
              organisation: me.organisation_name,
            })}
            <People k="alsoTo" addresses={item.to} names={item.names} />
            <People k="copyTo" addresses={item.cc} names={item.names} />
          </Note>
        ) : null}
        {item.request_id === null ? null : (
          <Note as="li" icon={FolderInput}>
            <Link to="/requests/$id" params={{ id: item.request_id }}>
              {text('factRequest')}
            </Link>
          </Note>
        )}
      </Stack>
    </Card>
  );
}

interface PeopleProps {
  k: 'alsoTo' | 'copyTo';
  addresses: readonly string[];
  names: KnownNames;
}

/** The sender shares To and Cc with all recipients. */
function People({ k, addresses, names }: PeopleProps) {
  const text = useText('received');
  const formats = useFormats();
  if (addresses.length === 0) return null;
  return (
    <Muted>
      {text(k, {
        people: formats.list(
          addresses.map((address) => visibleText(names[address] || address)),
          'unit',
        ),
      })}
    </Muted>
  );
}
