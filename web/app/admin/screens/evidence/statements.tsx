import { useState } from 'react';
import type { StatementHeadBody } from '#contract/admin/statements.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Muted, Row, Stack } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { StatementFiles } from './statement-files.tsx';

const kindNames = { leave: 'kindLeave', exposure: 'kindExposure' } as const;

export function Statements() {
  const text = useText('admin/evidence');
  const [after, setAfter] = useState<string | null>(null);
  const statements = useApi('listStatements', { query: after === null ? {} : { after } }, { keepsLast: true });
  return (
    <Card title={text('statements')}>
      <Loaded query={statements}>
        {({ statements: found, next }) => (
          <Stack gap={16}>
            {found.length === 0 ? <Muted>{text('noStatements')}</Muted> : <Found statements={found} />}
            {after === null && next === null ? null : (
              <Row>
                {after === null ? null : <Button onClick={() => setAfter(null)}>{text('firstPage')}</Button>}
                {next === null ? null : <Button onClick={() => setAfter(next)}>{text('nextPage')}</Button>}
              </Row>
            )}
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}

function Found({ statements }: { statements: StatementHeadBody[] }) {
  const text = useText('admin/evidence');
  const formats = useFormats();
  return (
    <PlainTable
      caption={text('statementsCaption')}
      isCaptionHidden
      headers={[text('about'), text('kind'), text('when'), text('madeBy'), text('paper')]}
      rows={statements.map(({ id, kind, about, made_at: createdAt, made_by: createdBy }) => ({
        id,
        cells: [
          visibleText(about),
          text(kindNames[kind]),
          formats.dateTime(createdAt),
          visibleText(createdBy),
          <StatementFiles key="paper" id={id} about={visibleText(about)} />,
        ],
      }))}
    />
  );
}
