// Applies immediately; reverts with the server's sentence when refused.
import { type ReactNode, useEffect, useState } from 'react';
import type { Topic } from '#contract/app/live.ts';
import type { CallInput } from '#contract/client.ts';
import { useApiChange } from '../../api.ts';
import { Card } from '../../ui/card.tsx';
import { Stack } from '../../ui/layout.tsx';
import { SavedMark, useSaved } from '../../ui/saved-mark.tsx';
import { ProblemNotice } from '../../ui/states.tsx';

type Change = 'changeNotices' | 'changeAliases' | 'changeProfile';

export interface Setting<Value> {
  shown: Value;
  choose(value: Value): void;
  isSaved: boolean;
  error: Error | null;
}

interface Options<Value, Name extends Change> {
  value: Value;
  call: Name;
  topics: readonly Topic[];
  inputOf: (value: Value) => CallInput<Name>;
  /** Runs before the setting is marked as saved. */
  onSaved?: (value: Value) => Promise<void>;
}

export function useSetting<Value, Name extends Change>(options: Options<Value, Name>): Setting<Value> {
  const { value, inputOf, onSaved } = options;
  const change = useApiChange(options.call, options.topics);
  const saved = useSaved();
  const [shown, setShown] = useState(value);
  useEffect(() => setShown(value), [value]);
  const choose = (chosen: Value) => {
    setShown(chosen);
    const onSuccess = async () => {
      await onSaved?.(chosen);
      saved.note();
    };
    change.mutate(inputOf(chosen), { onSuccess: () => void onSuccess(), onError: () => setShown(value) });
  };
  return { shown, choose, isSaved: saved.isShown, error: change.error };
}

interface CardProps {
  title: string;
  setting: Pick<Setting<unknown>, 'isSaved' | 'error'>;
  children: ReactNode;
}

export function SettingCard({ title, setting, children }: CardProps) {
  return (
    <Card title={title} actions={<SavedMark isShown={setting.isSaved} />}>
      <Stack>
        {children}
        <ProblemNotice error={setting.error} />
      </Stack>
    </Card>
  );
}
