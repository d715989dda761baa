import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { Card } from '../../../ui/card.tsx';
import { CopyField } from '../../../ui/copy-field.tsx';
import { Muted, Stack } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { administrators } from '../../roles.ts';
import { Exposure } from './exposure.tsx';
import { Statements } from './statements.tsx';

export default function EvidenceScreen() {
  const text = useText('admin/evidence');
  const mayState = administrators.includes(useMe().role);
  return (
    <ConsoleScreen title={text('title')} lead={text('lead')} changers={administrators}>
      <Stack gap={24}>
        <State />
        {mayState ? <Exposure /> : null}
        <Statements />
      </Stack>
    </ConsoleScreen>
  );
}

function State() {
  const text = useText('admin/evidence');
  const formats = useFormats();
  const evidence = useApi('getEvidence', {}, { everyMs: 30_000 });
  return (
    <Card title={text('state')}>
      <Loaded query={evidence}>
        {({ evidence: { origin, size, sealed_at: sealedAt, witnesses } }) => (
          <Stack gap={12}>
            <p>
              {sealedAt === null
                ? text('notSealed')
                : text('sealed', { n: size, when: formats.dateTime(sealedAt), origin: visibleText(origin) })}
            </p>
            {witnesses.length === 0 ? (
              <Muted>{text('noWitness')}</Muted>
            ) : (
              <PlainTable
                caption={text('witnesses')}
                headers={[text('witness'), text('seen'), text('when'), text('witnessError')]}
                rows={witnesses.map((witness) => ({
                  id: witness.key,
                  cells: [
                    visibleText(witness.key.split('+')[0] ?? ''),
                    text('entries', { n: witness.size }),
                    witness.witnessed_at === null ? text('notSigned') : formats.dateTime(witness.witnessed_at),
                    visibleText(witness.last_error) || text('noError'),
                  ],
                }))}
              />
            )}
            {sealedAt === null ? null : <LogKey />}
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}

/** To verify receipts, the key must come from another source than the receipt. */
function LogKey() {
  const text = useText('admin/evidence');
  const keys = useApi('listEvidenceKeys', {});
  return (
    <Loaded query={keys}>
      {({ keys: all }) => <CopyField label={text('logKey')} help={text('logKeyHelp')} value={all.at(-1)?.key ?? ''} />}
    </Loaded>
  );
}
