// Updates optimistically; reverts with the server's sentence when refused.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { AppLinkDetailBody } from '#contract/app/file-links.ts';
import { useZone } from '../../me.ts';
import { queryKey } from '../../query-keys.ts';
import { useText } from '../../texts.ts';
import { announce, warn } from '../../ui/announcer.tsx';
import { useSentenceOf } from '../../ui/states.tsx';

interface Known {
  link: AppLinkDetailBody;
}

export interface Setting<Value> {
  save(value: Value): void;
  isSaved: boolean;
  error: Error | null;
}

/** `shown` returns the link with the new value. */
export function useSavedSetting<Value>(
  id: string,
  send: (value: Value) => Promise<unknown>,
  shown: (value: Value) => Partial<AppLinkDetailBody>,
  announcement?: string,
): Setting<Value> {
  const text = useText('ui');
  const known = useQueryClient();
  const sentenceOf = useSentenceOf();
  const key = queryKey('getAppLink', { params: { id }, query: { zone: useZone() } });
  const change = useMutation({
    mutationFn: send,
    onMutate: async (value: Value) => {
      await known.cancelQueries({ queryKey: key });
      const before = known.getQueryData<Known>(key);
      if (before !== undefined) known.setQueryData<Known>(key, { link: { ...before.link, ...shown(value) } });
      return before;
    },
    onSuccess: () => announce(announcement ?? text('savedSaid')),
    onError: (error, _value, before) => {
      if (before !== undefined) known.setQueryData<Known>(key, before);
      warn(sentenceOf(error));
    },
    onSettled: () => known.invalidateQueries({ queryKey: ['links'] }),
  });
  return { save: change.mutate, isSaved: change.isSuccess, error: change.error };
}
