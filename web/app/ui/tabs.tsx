// The selected tab is in the URL (`?tab=people`). On phones tabs become sections.

import { Tabs as Box } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from '../search-params.ts';
import { useIsNarrow } from './narrow.ts';
import classes from './tabs.module.css';

export interface Tab {
  value: string;
  label: string;
  content: () => ReactNode;
}

export function Tabs({ label, tabs }: { label: string; tabs: readonly [Tab, ...Tab[]] }) {
  const { params, change } = useSearchParams();
  const isNarrow = useIsNarrow();
  const chosen = tabs.find(({ value }) => value === params.tab) ?? tabs[0];
  if (isNarrow)
    return tabs.map((tab) => (
      <section key={tab.value} className={classes.section}>
        <h2>{tab.label}</h2>
        {tab.content()}
      </section>
    ));
  return (
    <Box
      value={chosen.value}
      onChange={(value) => change({ tab: value === tabs[0].value ? undefined : (value ?? undefined) })}
      keepMounted={false}
      classNames={{ list: classes.list!, tab: classes.tab!, panel: classes.panel! }}
    >
      <Box.List aria-label={label}>
        {tabs.map(({ value, label: name }) => (
          <Box.Tab key={value} value={value}>
            {name}
          </Box.Tab>
        ))}
      </Box.List>
      {tabs.map(({ value, content }) => (
        <Box.Panel key={value} value={value}>
          {content()}
        </Box.Panel>
      ))}
    </Box>
  );
}
