import { useDeferredValue, useState } from 'react';
import { useApi } from '../../../api.ts';
import { useText } from '../../../texts.ts';
import type { Recipient } from '../../../ui/recipients.ts';
import { RecipientsInput } from '../../../ui/recipients-input.tsx';

interface Props {
  value: readonly Recipient[];
  onChange: (value: Recipient[]) => void;
  problem: string | null;
}

const fewestLetters = 2;

export function Receivers({ value, onChange, problem }: Props) {
  const text = useText('admin/filedrops');
  const [typed, setTyped] = useState('');
  const q = useDeferredValue(typed.trim());
  const found = useApi(
    'listPeople',
    { query: { q, size: '8' } as never },
    { isEnabled: q.length >= fewestLetters, keepsLast: true },
  );
  const chosen = new Set(value.map(({ address }) => address));
  return (
    <RecipientsInput
      label={text('receivers')}
      help={text('receiversHelp')}
      value={value}
      onChange={onChange}
      onType={setTyped}
      problem={problem}
      suggestions={(found.data?.items ?? [])
        .filter(({ email }) => !chosen.has(email))
        .map(({ email, name }) => ({ address: email, name }))}
    />
  );
}
