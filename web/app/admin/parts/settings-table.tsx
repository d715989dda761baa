import { useState } from 'react';
import type { SettingInForceBody } from '#contract/admin/settings.ts';
import { useSearchParams } from '../../search-params.ts';
import { useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Muted, Row, Stack } from '../../ui/layout.tsx';
import { PlainTable } from '../../ui/plain-table.tsx';

const sources = { environment: 'sourceEnvironment', file: 'sourceFile', default: 'sourceDefault' } as const;

/** Settings that were made; those with their default on request, or if the URL names one. */
export function SettingsTable({ caption, settings }: { caption: string; settings: readonly SettingInForceBody[] }) {
  const text = useText('admin/console');
  const { at } = useSearchParams().params;
  const [isAll, setAll] = useState(false);
  const shown = settings.filter(({ name, source }) => isAll || name === at || source !== 'default');
  const hidden = settings.length - shown.length;
  return (
    <Stack gap={16}>
      <PlainTable
        caption={caption}
        headers={[text('setting'), text('settingValue'), text('settingSource')]}
        rows={shown.map(({ name, meaning, value, source }) => ({
          id: name,
          cells: [
            <Stack key="name" gap={2}>
              <Meaning of={meaning} />
              <Muted as="span">
                <code>{name}</code>
              </Muted>
            </Stack>,
            value === '' ? '–' : <code key="value">{value}</code>,
            text(sources[source]),
          ],
        }))}
      />
      {hidden === 0 ? null : (
        <Row>
          <Button onClick={() => setAll(true)}>{text('showDefaults', { n: hidden })}</Button>
        </Row>
      )}
    </Stack>
  );
}

/** A sentence with `code`. */
function Meaning({ of: meaning }: { of: string }) {
  const [first = '', ...rest] = meaning.split('`');
  return (
    <span>
      {first.charAt(0).toUpperCase() + first.slice(1)}
      {rest.map((part, index) => (index % 2 === 0 ? <code key={part}>{part}</code> : part))}
    </span>
  );
}
