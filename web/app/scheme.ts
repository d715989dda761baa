// A change applies here immediately, in other browsers on the next refetch.
import { useEffect } from 'react';
import { useApiChange } from './api.ts';
import { type Me, useMe } from './me.ts';
import { type Scheme, useScheme } from './ui/provider.tsx';

type Theme = Me['preferences']['theme'];

/** Called once, by the shell. */
export function useAccountScheme(): void {
  const { theme } = useMe().preferences;
  const [, setScheme] = useScheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of the account's choice counts
  useEffect(() => setScheme(schemeOf(theme)), [theme]);
}

export function useChosenScheme(): [Theme, (theme: Theme) => void] {
  const [scheme, setScheme] = useScheme();
  const change = useApiChange('changeProfile', ['me', 'account']);
  const choose = (theme: Theme) => {
    setScheme(schemeOf(theme));
    change.mutate({ body: { theme } });
  };
  return [scheme === 'auto' ? 'system' : scheme, choose];
}

function schemeOf(theme: Theme): Scheme {
  return theme === 'system' ? 'auto' : theme;
}
