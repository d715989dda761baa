// Wrong recipients, others who downloaded, unknown visitors, and mail scanners.

import { Bot, CircleHelp, Globe, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SentMessageBody } from '#contract/app/messages.ts';
import { visibleText } from '../../../../visible.ts';
import { useNames } from '../../../names.ts';
import { useText } from '../../../texts.ts';
import { Card } from '../../../ui/card.tsx';
import { Muted, Note, Stack } from '../../../ui/layout.tsx';
import { Exposure } from './exposure.tsx';
import { useSentFormats } from './sent-formats.ts';

export function NotRecipients({ message, onStop }: { message: SentMessageBody; onStop: () => void }) {
  const text = useText('sent');
  return (
    <>
      <Exposures message={message} onStop={onStop} />
      <Others message={message} />
      <Visits title={text('visitsTitle')} help={text('visitsHelp')} icon={CircleHelp} visits={message.visits} />
      <Visits title={text('scannersTitle')} help={text('scannersHelp')} icon={Bot} visits={message.scanners} />
    </>
  );
}

function Exposures({ message, onStop }: { message: SentMessageBody; onStop: () => void }) {
  const text = useText('sent');
  if (message.exposures.length === 0) return null;
  return (
    <Card title={text('exposuresTitle')}>
      <Stack gap={20}>
        {message.exposures.map((exposure) => (
          <Exposure
            key={`${exposure.address} ${exposure.at}`}
            exposure={exposure}
            message={message}
            isRecord
            onStop={onStop}
          />
        ))}
      </Stack>
    </Card>
  );
}

function Others({ message }: { message: SentMessageBody }) {
  const text = useText('sent');
  const formats = useSentFormats();
  const people = useNames();
  if (message.others.length === 0) return null;
  return (
    <LinesCard title={text('otherTitle')} help={text('otherHelp')}>
      {message.others.map(({ address, downloads }) => (
        <Line
          key={address}
          icon={Globe}
          title={address === '' ? text('otherUnknown') : people.full(address)}
          notes={downloads.map(({ filename, download }) => ({
            id: String(download.id),
            what: text(download.whole ? 'otherWhole' : 'otherPart', {
              file: visibleText(filename),
              bytes: formats.size(download.bytes),
            }),
            note: `${formats.dateTime(download.at)} · ${formats.where(download)}`,
          }))}
        />
      ))}
    </LinesCard>
  );
}

interface VisitsProps {
  title: string;
  help: string;
  icon: LucideIcon;
  visits: SentMessageBody['visits'];
}

function Visits({ title, help, icon, visits }: VisitsProps) {
  const text = useText('sent');
  const formats = useSentFormats();
  if (visits.length === 0) return null;
  return (
    <LinesCard title={title} help={help}>
      {visits.map((visit) => {
        const who = visibleText(formats.deviceOf(visit)) || text('visitUnknown');
        const place = formats.placeOf({ city: '', country: visit.country });
        const network = visit.network === '' ? '' : text('visitNetwork', { network: visit.network });
        const facts = [formats.dateTime(visit.first_at), place, network];
        if (visit.count > 1) facts.splice(1, 0, text('visitLast', { time: formats.dateTime(visit.last_at) }));
        return (
          <Line
            key={`${visit.first_at} ${visit.network} ${who}`}
            icon={icon}
            title={text('visit', { n: visit.count, who })}
            notes={[{ id: 'note', what: '', note: facts.filter((fact) => fact !== '').join(' · ') }]}
          />
        );
      })}
    </LinesCard>
  );
}

function LinesCard({ title, help, children }: { title: string; help: string; children: ReactNode }) {
  return (
    <Card title={title}>
      <Stack gap={12}>
        <Muted>{help}</Muted>
        <Stack as="ul" gap={12}>
          {children}
        </Stack>
      </Stack>
    </Card>
  );
}

interface LineProps {
  icon: LucideIcon;
  title: ReactNode;
  notes: { id: string; what: string; note: string }[];
}

function Line({ icon, title, notes }: LineProps) {
  return (
    <Note as="li" icon={icon}>
      <strong>{title}</strong>
      {notes.map(({ id, what, note }) => (
        <div key={id}>
          {what === '' ? null : <div>{what}</div>}
          <Muted as="div">{note}</Muted>
        </div>
      ))}
    </Note>
  );
}
