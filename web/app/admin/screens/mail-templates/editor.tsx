// Edits the text of one kind of mail, with its placeholders, a preview with sample data, and the default text.
import type { CallAnswer } from '#contract/client.ts';
import { useApiChange } from '../../../api.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { TextArea, TextField } from '../../../ui/field.tsx';
import { Columns, Muted, Pairs, Row, Stack } from '../../../ui/layout.tsx';
import { Notice, ProblemNotice } from '../../../ui/states.tsx';
import { useTyped } from '../../parts/form-changes.ts';
import { Unsaved } from '../../parts/unsaved.tsx';
import { Preview } from './preview.tsx';

type Template = CallAnswer<'listMailTemplates'>['mail_templates'][number];
type Words = Pick<Template, 'subject' | 'intro' | 'closing'>;

interface Props {
  template: Template;
  mayChange: boolean;
  onBack(): void;
}

export function TemplateEditor({ template, mayChange, onBack }: Props) {
  const text = useText('admin/mail-templates');
  const { kind, subject, intro, closing } = template;
  const { values: words, isChanged, set, forget } = useTyped<Words>({ subject, intro, closing });
  const save = useApiChange('changeMailTemplate', ['admin']);
  const write = (next: Words, said: string) => {
    set(next);
    const onSuccess = () => {
      forget();
      announce(said);
    };
    save.mutate({ params: { kind }, body: { mail_template: next } }, { onSuccess });
  };
  return (
    <Stack gap={24}>
      <Columns
        main={
          <Card title={text('wordsOf', { kind })}>
            <Stack gap={16}>
              <Fields words={words} shipped={template.shipped} mayChange={mayChange} onChange={set} />
              <Muted>{text('variables', { names: template.variables.join(', ') })}</Muted>
              <ProblemNotice error={save.error} />
              <Row>
                {mayChange ? (
                  <>
                    <Button variant="primary" isBusy={save.isPending} onClick={() => write(words, text('saved'))}>
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
        }
        side={
          <>
            <Shipped title={text('shipped')} words={template.shipped} />
            {template.shipped_when_changed === null ? null : (
              <>
                <Notice tone="warning">{text('olderText')}</Notice>
                <Shipped title={text('shippedThen')} words={template.shipped_when_changed} />
              </>
            )}
          </>
        }
      />
      {mayChange ? <Preview kind={kind} words={words} /> : null}
      <Unsaved isChanged={isChanged} word="kind" />
    </Stack>
  );
}

interface FieldsProps {
  words: Words;
  shipped: Words;
  mayChange: boolean;
  onChange(words: Partial<Words>): void;
}

function Fields({ words, shipped, mayChange, onChange }: FieldsProps) {
  const text = useText('admin/mail-templates');
  const look = { readOnly: !mayChange, spellCheck: false };
  return (
    <>
      <TextField
        label={text('subject')}
        help={text('emptyHelp')}
        value={words.subject}
        placeholder={shipped.subject}
        onChange={(subject) => onChange({ subject })}
        {...look}
      />
      <TextArea
        label={text('intro')}
        rows={6}
        value={words.intro}
        placeholder={shipped.intro}
        onChange={(intro) => onChange({ intro })}
        {...look}
      />
      <TextArea
        label={text('closing')}
        rows={4}
        value={words.closing}
        placeholder={shipped.closing}
        onChange={(closing) => onChange({ closing })}
        {...look}
      />
    </>
  );
}

function Shipped({ title, words }: { title: string; words: Words }) {
  const text = useText('admin/mail-templates');
  return (
    <Card title={title}>
      <Pairs
        pairs={[
          { name: text('subject'), value: words.subject },
          { name: text('intro'), value: words.intro === '' ? '–' : words.intro },
          { name: text('closing'), value: words.closing === '' ? '–' : words.closing },
        ]}
      />
    </Card>
  );
}
