import type { CallAnswer } from '#contract/client.ts';
import { useApiChange } from '../../../api.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { TextArea, TextField } from '../../../ui/field.tsx';
import { Muted, Pairs, Row, Stack } from '../../../ui/layout.tsx';
import { Notice, ProblemNotice } from '../../../ui/states.tsx';
import { useFormChanges } from '../../parts/form-changes.ts';
import { useMailKindName } from '../../parts/names.ts';
import { Unsaved } from '../../parts/unsaved.tsx';
import classes from './mail-templates.module.css';
import { Preview } from './preview.tsx';

type Template = CallAnswer<'listMailTemplates'>['mail_templates'][number];
type Wording = Pick<Template, 'subject' | 'intro' | 'closing'>;

interface Props {
  template: Template;
  mayChange: boolean;
  onBack(): void;
}

export function TemplateEditor({ template, mayChange, onBack }: Props) {
  const text = useText('admin/mail-templates');
  const { kind, subject, intro, closing } = template;
  const { values: wording, isChanged, set, reset } = useFormChanges<Wording>({ subject, intro, closing });
  const kindName = useMailKindName()(kind);
  const save = useApiChange('changeMailTemplate', ['admin']);
  const write = (next: Wording, announcement: string) => {
    set(next);
    const onSuccess = () => {
      reset();
      announce(announcement);
    };
    save.mutate({ params: { kind }, body: { mail_template: next } }, { onSuccess });
  };
  return (
    <div className={classes.layout}>
      <Stack gap={24}>
        <Card title={text('wordsOf', { kind: kindName })}>
          <Stack gap={16}>
            <Fields wording={wording} shipped={template.shipped} mayChange={mayChange} onChange={set} />
            <Muted>{text('variables', { names: template.variables.join(', ') })}</Muted>
            <ProblemNotice error={save.error} />
            <Row>
              {mayChange ? (
                <>
                  <Button variant="primary" isBusy={save.isPending} onClick={() => write(wording, text('saved'))}>
                    {text('save')}
                  </Button>
                  <Button onClick={() => write({ subject: '', intro: '', closing: '' }, text('restored'))}>
                    {text('restore')}
                  </Button>
                </>
              ) : null}
              <Button variant="quiet" onClick={onBack}>
                {text('back')}
              </Button>
            </Row>
          </Stack>
        </Card>
        <Shipped title={text('shipped')} wording={template.shipped} />
        {template.shipped_when_changed === null ? null : (
          <>
            <Notice tone="warning">{text('olderText')}</Notice>
            <Shipped title={text('shippedThen')} wording={template.shipped_when_changed} />
          </>
        )}
      </Stack>
      {mayChange ? (
        <div className={classes.preview}>
          <Preview kind={kind} wording={wording} />
        </div>
      ) : null}
      <Unsaved isChanged={isChanged} param="kind" />
    </div>
  );
}

interface FieldsProps {
  wording: Wording;
  shipped: Wording;
  mayChange: boolean;
  onChange(wording: Partial<Wording>): void;
}

function Fields({ wording, shipped, mayChange, onChange }: FieldsProps) {
  const text = useText('admin/mail-templates');
  const fieldProps = { readOnly: !mayChange, spellCheck: false };
  return (
    <>
      <TextField
        label={text('subject')}
        help={text('emptyHelp')}
        value={wording.subject}
        placeholder={shipped.subject}
        onChange={(subject) => onChange({ subject })}
        {...fieldProps}
      />
      <TextArea
        label={text('intro')}
        rows={6}
        value={wording.intro}
        placeholder={shipped.intro}
        onChange={(intro) => onChange({ intro })}
        {...fieldProps}
      />
      <TextArea
        label={text('closing')}
        rows={4}
        value={wording.closing}
        placeholder={shipped.closing}
        onChange={(closing) => onChange({ closing })}
        {...fieldProps}
      />
    </>
  );
}

function Shipped({ title, wording }: { title: string; wording: Wording }) {
  const text = useText('admin/mail-templates');
  return (
    <Card title={title}>
      <Pairs
        pairs={[
          { name: text('subject'), value: wording.subject },
          { name: text('intro'), value: wording.intro === '' ? '–' : wording.intro },
          { name: text('closing'), value: wording.closing === '' ? '–' : wording.closing },
        ]}
      />
    </Card>
  );
}
