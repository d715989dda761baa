import { Ban, CircleCheck, Clock, Reply } from 'lucide-react';
import type { TransferBody } from '#contract/admin/transfers.ts';
import { visibleText } from '../../../../visible.ts';
import { useFormats } from '../../../formats.ts';
import { type TextKey, useText } from '../../../texts.ts';
import { Pill } from '../../../ui/pill.tsx';

const kindNames: Record<TransferBody['kind'], TextKey<'admin/transfers'>> = {
  message: 'kindMessage',
  answer: 'kindAnswer',
  drop: 'kindDrop',
  link: 'kindLink',
  request: 'kindRequest',
};

export const kinds = Object.keys(kindNames) as TransferBody['kind'][];

export function useKindName(): (kind: TransferBody['kind']) => string {
  const text = useText('admin/transfers');
  return (kind) => text(kindNames[kind]);
}

const states = {
  open: { label: 'stateOpen', tone: 'success', icon: CircleCheck },
  expired: { label: 'stateExpired', tone: 'ended', icon: Clock },
  stopped: { label: 'stateStopped', tone: 'ended', icon: Ban },
  answered: { label: 'stateAnswered', tone: 'neutral', icon: Reply },
} as const;

export const stateChoices = Object.entries(states).map(([value, { label }]) => ({ value, label }));

export function TransferState({ state }: Pick<TransferBody, 'state'>) {
  const text = useText('admin/transfers');
  const { label, tone, icon } = states[state];
  return (
    <Pill tone={tone} icon={icon}>
      {text(label)}
    </Pill>
  );
}

export function ownerName({ owner }: TransferBody): string {
  return visibleText(owner.name === '' ? owner.email : owner.name);
}

/** `Message of Alice, 16 Nov`. */
export function useRowName(): (transfer: TransferBody) => string {
  const text = useText('admin/transfers');
  const kindName = useKindName();
  const { shortDate, dayOf } = useFormats();
  return (transfer) =>
    text('rowName', {
      kind: kindName(transfer.kind),
      person: ownerName(transfer),
      date: shortDate(dayOf(transfer.created_at)),
    });
}
