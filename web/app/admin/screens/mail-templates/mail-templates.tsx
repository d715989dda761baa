// The URL has the edited kind of mail (`?kind=message`).

import { Link } from '@tanstack/react-router';
import type { CallAnswer } from '#contract/client.ts';
import { useApi } from '../../../api.ts';
import { useMe } from '../../../me.ts';
import { useSearchParams } from '../../../search-params.ts';
import { useText } from '../../../texts.ts';
import { Card } from '../../../ui/card.tsx';
import { Pill } from '../../../ui/pill.tsx';
import { CardTable } from '../../../ui/plain-table.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { useMailKindName } from '../../parts/names.ts';
import { systemAdministrators } from '../../roles.ts';
import { TemplateEditor } from './editor.tsx';

type Template = CallAnswer<'listMailTemplates'>['mail_templates'][number];

export default function MailTemplatesScreen() {
  const text = useText('admin/mail-templates');
  const mayChange = systemAdministrators.includes(useMe().role);
  const mailKindName = useMailKindName();
  const { params, change } = useSearchParams();
  const templates = useApi('listMailTemplates', {});
  return (
    <ConsoleScreen title={text('title')} lead={text('lead')} changers={systemAdministrators}>
      <Loaded query={templates}>
        {({ mail_templates: all }) => {
          const chosen = all.find(({ kind }) => kind === params.kind);
          if (chosen !== undefined)
            return (
              <TemplateEditor
                key={chosen.kind}
                template={chosen}
                mayChange={mayChange}
                onBack={() => change({ kind: undefined })}
              />
            );
          return (
            <Card isFlush>
              <CardTable
                caption={text('kinds')}
                columns={[
                  {
                    id: 'kind',
                    header: text('kind'),
                    cell: ({ kind }) => (
                      <Link to="/admin/templates" search={{ kind }}>
                        {mailKindName(kind)}
                      </Link>
                    ),
                  },
                  {
                    id: 'state',
                    header: text('state'),
                    small: 'mark',
                    width: 'mark',
                    cell: (template) => <State template={template} />,
                  },
                ]}
                rows={all.map((template) => ({ ...template, id: template.kind }))}
                rowName={({ kind }) => mailKindName(kind)}
              />
            </Card>
          );
        }}
      </Loaded>
    </ConsoleScreen>
  );
}

function State({ template: { is_changed: isChanged, shipped_when_changed: older } }: { template: Template }) {
  const text = useText('admin/mail-templates');
  if (older !== null) return <Pill tone="warning">{text('stateOlder')}</Pill>;
  return isChanged ? <Pill tone="progress">{text('stateChanged')}</Pill> : <Pill>{text('stateDefault')}</Pill>;
}
