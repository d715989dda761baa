// The state of the log of evidence, and the statements that were made: what ended when somebody left, what was exposed.
import type { StatementHeadBody } from '#contract/admin/statements.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { Card } from '../../../ui/card.tsx';
import { Muted, Stack } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { administrators } from '../../roles.ts';
import { Exposure } from './exposure.tsx';
import { Papers } from './papers.tsx';

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
                : text('sealed', { n: size, when: formats.moment(sealedAt), origin: visibleText(origin) })}
            </p>
            {witnesses.length === 0 ? (
              <Muted>{text('noWitness')}</Muted>
            ) : (
              <PlainTable
                caption={text('witnesses')}
                headers={[text('witness'), text('seen'), text('when')]}
                rows={witnesses.map((witness) => ({
                  id: witness.key,
                  cells: [
                    visibleText(witness.key.split('+')[0] ?? ''),
                    text('entries', { n: witness.size }),
                    formats.moment(witness.witnessed_at),
                  ],
                }))}
              />
            )}
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}

const kindNames = { leave: 'kindLeave', exposure: 'kindExposure' } as const;

function Statements() {
  const text = useText('admin/evidence');
  const formats = useFormats();
  const statements = useApi('listStatements', { query: {} });
  const about = (statement: StatementHeadBody) => visibleText(statement.about);
  return (
    <Card title={text('statements')}>
      <Loaded query={statements}>
        {({ statements: found }) =>
          found.length === 0 ? (
            <Muted>{text('noStatements')}</Muted>
          ) : (
            <PlainTable
              caption={text('statementsCaption')}
              isCaptionHidden
              headers={[text('about'), text('kind'), text('when'), text('madeBy'), text('paper')]}
              rows={found.map((statement) => ({
                id: statement.id,
                cells: [
                  about(statement),
                  text(kindNames[statement.kind]),
                  formats.moment(statement.made_at),
                  visibleText(statement.made_by),
                  <Papers key="paper" id={statement.id} about={about(statement)} />,
                ],
              }))}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
