// Four amounts: three of today, compared with the average at this time of day, and the stored bytes.
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import type { OverviewBody } from '#contract/admin/overview.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { Icon } from '../../../ui/icon.tsx';
import classes from './overview.module.css';

export function Figures({ today, storage }: Pick<OverviewBody, 'today' | 'storage'>) {
  const text = useText('admin/overview');
  const formats = useFormats();
  const days = [
    { name: text('messages'), amount: today.messages, write: formats.number },
    { name: text('downloads'), amount: today.downloads, write: formats.number },
    { name: text('uploaded'), amount: today.bytes, write: formats.size },
  ];
  return (
    <dl className={classes.figures}>
      {days.map(({ name, amount, write }) => (
        <Figure key={name} name={name} value={write(amount.today)}>
          <Change {...amount} write={write} />
        </Figure>
      ))}
      <Figure name={text('storage')} value={formats.size(storage.kept)}>
        <StorageNote storage={storage} />
      </Figure>
    </dl>
  );
}

function Figure({ name, value, children }: { name: string; value: string; children: ReactNode }) {
  return (
    <div className={classes.figure}>
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong>
        {children}
      </dd>
    </div>
  );
}

/** Smaller changes are usual. */
const usualShare = 0.1;

interface ChangeProps {
  today: number;
  usual: number;
  write: (amount: number) => string;
}

function Change({ today, usual, write }: ChangeProps) {
  const text = useText('admin/overview');
  const change = today - usual;
  if (Math.abs(change) <= usual * usualShare) return <span>{text('asUsual')}</span>;
  return (
    <span data-change={change > 0 ? 'more' : 'fewer'}>
      <Icon of={change > 0 ? ArrowUp : ArrowDown} sizePx={14} />
      {text(change > 0 ? 'moreThanUsual' : 'lessThanUsual', { amount: write(Math.abs(change)) })}
    </span>
  );
}

function StorageNote({ storage: { used, total, full_on } }: { storage: OverviewBody['storage'] }) {
  const text = useText('admin/overview');
  const formats = useFormats();
  if (full_on !== null) return <span>{text('fullOn', { date: formats.longDate(full_on) })}</span>;
  if (used === null || total === null) return <span>{text('noForecast')}</span>;
  return <span>{text('diskOf', { used: formats.size(used), total: formats.size(total) })}</span>;
}
