import type { CallAnswer } from '#contract/client.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CopyField } from '../../../ui/copy-field.tsx';
import { Muted, Stack } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Loaded, Notice, ProblemNotice } from '../../../ui/states.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { administrators, systemAdministrators } from '../../roles.ts';
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
        {({ evidence: { origin, size, sealed_at: sealedAt, witnesses, asked } }) => (
          <Stack gap={12}>
            <p>
              {sealedAt === null
                ? text('notSealed')
                : text('sealed', { n: size, when: formats.dateTime(sealedAt), origin: visibleText(origin) })}
            </p>
            {witnesses.length === 0 ? (
              <Muted>{text('noWitness')}</Muted>
            ) : (
              <Witnesses witnesses={witnesses} asked={asked} />
            )}
            {sealedAt === null ? null : <LogKey />}
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}

type Evidence = CallAnswer<'getEvidence'>['evidence'];

function Witnesses({ witnesses, asked }: Pick<Evidence, 'witnesses' | 'asked'>) {
  const text = useText('admin/evidence');
  const formats = useFormats();
  const mayTest = systemAdministrators.includes(useMe().role) && asked.length > 0;
  const nameOf = (key: string) => visibleText(key.split('+')[0] ?? '');
  return (
    <PlainTable
      caption={text('witnesses')}
      headers={[
        text('witness'),
        text('seen'),
        text('when'),
        text('witnessError'),
        ...(mayTest ? [text('witnessActions')] : []),
      ]}
      rows={witnesses.map((witness) => ({
        id: witness.key,
        cells: [
          nameOf(witness.key),
          text('entries', { n: witness.size }),
          witness.witnessed_at === null ? text('notSigned') : formats.dateTime(witness.witnessed_at),
          visibleText(witness.last_error) || text('noError'),
          ...(mayTest
            ? [asked.includes(witness.key) ? <Test key="test" of={witness.key} name={nameOf(witness.key)} /> : '–']
            : []),
        ],
      }))}
    />
  );
}

function Test({ of: key, name }: { of: string; name: string }) {
  const text = useText('admin/evidence');
  const test = useApiChange('testWitness', []);
  const error = test.data?.witness_test.error;
  return (
    <Stack gap={8}>
      <div>
        <Button
          size="small"
          aria-label={text('testWitnessOf', { name })}
          isBusy={test.isPending}
          onClick={() => test.mutate({ body: { witness_test: { key } } })}
        >
          {text('testWitness')}
        </Button>
      </div>
      {error === undefined ? null : error === '' ? (
        <Notice tone="success">{text('witnessSigned')}</Notice>
      ) : (
        <Notice tone="danger">{text('witnessFailed', { words: visibleText(error) })}</Notice>
      )}
      <ProblemNotice error={test.error} />
    </Stack>
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
