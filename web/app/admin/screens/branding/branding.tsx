import { useState } from 'react';
import type { CallAnswer, CallInput } from '#contract/client.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { basePath } from '../../../host-page.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Segments } from '../../../ui/choice.tsx';
import { TextArea, TextField } from '../../../ui/field.tsx';
import { Row, Stack } from '../../../ui/layout.tsx';
import { Loaded, ProblemNotice, problemAt } from '../../../ui/states.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { useFormChanges } from '../../parts/form-changes.ts';
import { PreviewFrame } from '../../parts/preview-frame.tsx';
import { Unsaved } from '../../parts/unsaved.tsx';
import { administrators } from '../../roles.ts';
import classes from './branding.module.css';
import { ColourField } from './colour-field.tsx';
import { Logos } from './logos.tsx';

type Branding = CallAnswer<'getBranding'>['branding'];

export default function BrandingScreen() {
  const text = useText('admin/branding');
  const mayChange = administrators.includes(useMe().role);
  const answer = useApi('getBranding', {});
  return (
    <ConsoleScreen title={text('title')} lead={text('lead')} changers={administrators}>
      <Loaded query={answer}>{({ branding }) => <Editor branding={branding} mayChange={mayChange} />}</Loaded>
    </ConsoleScreen>
  );
}

const fields = ['organisation_name', 'colour', 'contact_address', 'privacy_url', 'page_footer', 'mail_footer'] as const;
type Field = (typeof fields)[number];
const labels = {
  organisation_name: 'organisation',
  colour: 'colour',
  contact_address: 'contact',
  privacy_url: 'privacy',
  page_footer: 'pageFooter',
  mail_footer: 'mailFooter',
} as const;
const helps = {
  organisation_name: 'organisationHelp',
  colour: 'colourHelp',
  contact_address: 'contactHelp',
  privacy_url: 'privacyHelp',
  page_footer: 'pageFooterHelp',
  mail_footer: 'mailFooterHelp',
} as const;

function Editor({ branding, mayChange }: { branding: Branding; mayChange: boolean }) {
  const form = useFormChanges(textsOf(branding));
  return (
    <div className={classes.layout}>
      <Stack gap={24}>
        <Texts form={form} mayChange={mayChange} />
        <Logos branding={branding} mayChange={mayChange} />
      </Stack>
      <div className={classes.preview}>
        <Preview values={form.values} />
      </div>
    </div>
  );
}

function Preview({ values }: { values: Record<Field, string> }) {
  const text = useText('admin/branding');
  const [view, setView] = useState<'page' | 'mail'>('page');
  return (
    <Card title={text('preview')}>
      <PreviewFrame
        title={text(view === 'page' ? 'previewOfPage' : 'previewOfMail')}
        addressOf={(scheme) => `${basePath}/admin/branding/page?${new URLSearchParams({ view, scheme, ...values })}`}
        isSameOrigin={view === 'page'}
        choices={
          <Segments
            label={text('preview')}
            value={view}
            onChange={setView}
            choices={[
              { value: 'page', label: text('viewPage') },
              { value: 'mail', label: text('viewMail') },
            ]}
          />
        }
      />
    </Card>
  );
}

interface TextsProps {
  form: ReturnType<typeof useFormChanges<Record<Field, string>>>;
  mayChange: boolean;
}

function Texts({ form: { values: texts, changes, isChanged, set, reset }, mayChange }: TextsProps) {
  const text = useText('admin/branding');
  const save = useApiChange('changeBranding', ['admin']);
  const isFieldProblem = fields.some((field) => problemAt(save.error, field) !== null);
  const submit = () => {
    const onSuccess = () => {
      reset();
      announce(text('saved'));
    };
    save.mutate({ body: { branding: changedBody(changes) } }, { onSuccess });
  };
  return (
    <Card title={text('words')}>
      <Stack gap={16}>
        {fields.map((field) => {
          const problem = problemAt(save.error, field);
          if (field === 'colour')
            return (
              <ColourField
                key={field}
                value={texts.colour}
                isReadOnly={!mayChange}
                problem={problem}
                onChange={(colour) => set({ colour })}
              />
            );
          const Control = field.endsWith('footer') ? TextArea : TextField;
          return (
            <Control
              key={field}
              label={text(labels[field])}
              help={text(helps[field])}
              value={texts[field]}
              readOnly={!mayChange}
              problem={problem}
              onChange={(value: string) => set({ [field]: value })}
              {...(field.endsWith('footer') ? { rows: 2 } : {})}
            />
          );
        })}
        {isFieldProblem ? null : <ProblemNotice error={save.error} />}
        {mayChange ? (
          <Row>
            <Button variant="primary" isBusy={save.isPending} isDisabled={!isChanged} onClick={submit}>
              {text('save')}
            </Button>
          </Row>
        ) : null}
        <Unsaved isChanged={isChanged} />
      </Stack>
    </Card>
  );
}

function textsOf(branding: Branding): Record<Field, string> {
  const entries = fields.map((field) => [field, branding[field] ?? ''] as const);
  return Object.fromEntries(entries) as Record<Field, string>;
}

const absent: readonly string[] = ['colour', 'contact_address', 'privacy_url'];

/** Empty optional fields become null. */
function changedBody(changes: Partial<Record<Field, string>>) {
  const entries = Object.entries(changes).map(([field, value]) =>
    absent.includes(field) ? [field, value.trim() === '' ? null : value.trim()] : [field, value],
  );
  return Object.fromEntries(entries) as CallInput<'changeBranding'>['body']['branding'];
}
