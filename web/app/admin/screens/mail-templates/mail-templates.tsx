// The URL has the edited kind of mail (`?kind=message`).

import { useApi } from '../../../api.ts';
import { useMe } from '../../../me.ts';
import { useSearchParams } from '../../../search-params.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Pill } from '../../../ui/pill.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { useMailKindName } from '../../parts/names.ts';
import { systemAdministrators } from '../../roles.ts';
import { TemplateEditor } from './editor.tsx';

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
            <Card>
              <PlainTable
                caption={text('kinds')}
                headers={[text('kind'), text('state'), text('actions')]}
                rows={all.map(({ kind, is_changed, shipped_when_changed }) => ({
                  id: kind,
                  cells: [
                    mailKindName(kind),
                    <State key="state" isChanged={is_changed} isOlder={shipped_when_changed !== null} />,
                    <Button
                      key="edit"
                      size="small"
                      aria-label={text(mayChange ? 'editOf' : 'lookOf', { kind: mailKindName(kind) })}
                      onClick={() => change({ kind }, { isNewEntry: true })}
                    >
                      {text(mayChange ? 'edit' : 'look')}
                    </Button>,
                  ],
                }))}
              />
            </Card>
          );
        }}
      </Loaded>
    </ConsoleScreen>
  );
}

function State({ isChanged, isOlder }: { isChanged: boolean; isOlder: boolean }) {
  const text = useText('admin/mail-templates');
  if (isOlder) return <Pill tone="warning">{text('stateOlder')}</Pill>;
  return isChanged ? <Pill tone="progress">{text('stateChanged')}</Pill> : <Pill>{text('stateDefault')}</Pill>;
}
