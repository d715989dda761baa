import type { SettingInForceBody } from '#contract/admin/settings.ts';
import { useText } from '../../texts.ts';
import { Muted, Stack } from '../../ui/layout.tsx';
import { PlainTable } from '../../ui/plain-table.tsx';

const sources = { environment: 'sourceEnvironment', file: 'sourceFile', default: 'sourceDefault' } as const;

export function SettingsTable({ caption, settings }: { caption: string; settings: readonly SettingInForceBody[] }) {
  const text = useText('admin/console');
  return (
    <PlainTable
      caption={caption}
      headers={[text('setting'), text('settingValue'), text('settingSource')]}
      rows={settings.map(({ name, meaning, value, source }) => ({
        id: name,
        cells: [
          <Stack key="name" gap={2}>
            <code>{name}</code>
            <Muted as="span">{meaning}</Muted>
          </Stack>,
          value === '' ? '–' : <code key="value">{value}</code>,
          text(sources[source]),
        ],
      }))}
    />
  );
}
