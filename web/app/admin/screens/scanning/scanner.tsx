import type { CallAnswer } from '#contract/client.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { Card } from '../../../ui/card.tsx';
import { Muted, Pairs, Stack } from '../../../ui/layout.tsx';
import { Pill } from '../../../ui/pill.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Loaded, Notice } from '../../../ui/states.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { useReason } from '../../parts/scan-names.ts';
import { systemAdministrators } from '../../roles.ts';
import { ScannerSettings } from './scanner-settings.tsx';

type Scanner = CallAnswer<'getScanner'>['scanner'];

export default function ScannerScreen() {
  const text = useText('admin/scanning');
  const mayChange = systemAdministrators.includes(useMe().role);
  const query = useApi('getScanner', {}, { everyMs: 10_000 });
  return (
    <ConsoleScreen title={text('scanner')} lead={text('scannerLead')} changers={systemAdministrators}>
      <Loaded query={query}>
        {({ scanner }) => (
          <Stack gap={24}>
            <State scanner={scanner} />
            <ScannerSettings settings={scanner.settings} mayChange={mayChange} />
            <NotScanned files={scanner.not_scanned} />
          </Stack>
        )}
      </Loaded>
    </ConsoleScreen>
  );
}

const states = {
  none: { label: 'stateNone', tone: 'warning' },
  new: { label: 'stateNew', tone: 'progress' },
  works: { label: 'stateWorks', tone: 'success' },
  silent: { label: 'stateSilent', tone: 'danger' },
} as const;

function stateOf({ place, fault, since }: Scanner): keyof typeof states {
  if (place === null) return 'none';
  if (fault !== null) return 'silent';
  return since === null ? 'new' : 'works';
}

function State({ scanner }: { scanner: Scanner }) {
  const text = useText('admin/scanning');
  const formats = useFormats();
  const facts = useFacts(scanner);
  const state = stateOf(scanner);
  const { label, tone } = states[state];
  const since = scanner.since === null ? '' : formats.dateTime(scanner.since);
  return (
    <Card title={text('state')}>
      <Stack gap={16}>
        {state === 'none' ? <Notice tone="warning">{text('noScanner')}</Notice> : null}
        {state === 'silent' ? (
          <Notice tone="danger" title={text('silentText')}>
            {visibleText(scanner.fault ?? '')}
          </Notice>
        ) : null}
        <Pairs
          pairs={[
            {
              name: text('state'),
              value: (
                <>
                  <Pill tone={tone}>{text(label)}</Pill>{' '}
                  {state === 'works' || state === 'silent' ? (
                    <Muted>{text('stateSince', { time: since })}</Muted>
                  ) : null}
                </>
              ),
            },
            ...(state === 'none' ? [] : facts),
            { name: text('queue'), value: formats.number(scanner.waiting) },
          ]}
        />
      </Stack>
    </Card>
  );
}

const dayMs = 86_400_000;

function useFacts({ version, signatures_at, checked_at, last_fault }: Scanner) {
  const text = useText('admin/scanning');
  const formats = useFormats();
  const age = signatures_at === null ? null : Math.max(0, Math.floor((Date.now() - Date.parse(signatures_at)) / dayMs));
  return [
    { name: text('version'), value: version === '' ? '–' : visibleText(version) },
    ...(age === null
      ? []
      : [
          {
            name: text('signatures'),
            value: text('signaturesOf', { days: age, date: formats.dateOf(signatures_at!) }),
          },
        ]),
    { name: text('lastVerdict'), value: checked_at === null ? text('never') : formats.dateTime(checked_at) },
    {
      name: text('lastError'),
      value:
        last_fault === null
          ? text('none')
          : text('lastErrorOf', { words: visibleText(last_fault.words), time: formats.dateTime(last_fault.ended_at) }),
    },
  ];
}

function NotScanned({ files }: { files: Scanner['not_scanned'] }) {
  const text = useText('admin/scanning');
  const formats = useFormats();
  const reasonOf = useReason();
  return (
    <Card title={text('notScanned')}>
      {files.length === 0 ? (
        <Muted>{text('notScannedEmpty')}</Muted>
      ) : (
        <PlainTable
          caption={text('notScannedTable')}
          isCaptionHidden
          headers={[text('file'), text('size'), text('reason'), text('scannedAt')]}
          rows={files.map((file, index) => ({
            id: `${file.scanned_at} ${index}`,
            cells: [
              <bdi key="file">{visibleText(file.filename)}</bdi>,
              formats.size(file.size),
              reasonOf({ reason: file.reason, signature: '' }),
              formats.dateTime(file.scanned_at),
            ],
          }))}
        />
      )}
    </Card>
  );
}
