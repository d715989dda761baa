// Shows a mail with sample data in a sandboxed frame.
import { useState } from 'react';
import type { CallAnswer } from '#contract/client.ts';
import { useApiChange } from '../../../api.ts';
import { basePath } from '../../../host-page.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Switch } from '../../../ui/choice.tsx';
import { TextArea, TextField } from '../../../ui/field.tsx';
import { Muted, Row, Stack } from '../../../ui/layout.tsx';
import { Notice, ProblemNotice } from '../../../ui/states.tsx';
import classes from './mail-templates.module.css';

type Wording = Pick<CallAnswer<'getMailTemplate'>['mail_template'], 'subject' | 'intro' | 'closing'>;

export function Preview({ kind, wording }: { kind: string; wording: Wording }) {
  const text = useText('admin/mail-templates');
  const input = { params: { kind }, body: { mail_template: wording } };
  const preview = useApiChange('previewMailTemplate', []);
  const test = useApiChange('testMailTemplate', []);
  // Later edits appear on the next preview.
  const [previewed, setPreviewed] = useState<Wording | null>(null);
  const shown = preview.data?.preview;
  const result = test.data?.mail_test;
  const verdict = (isAccepted: boolean) => text(isAccepted ? 'testSent' : 'testNotSent');
  return (
    <Card title={text('preview')}>
      <Stack gap={16}>
        <Row>
          <Button
            isBusy={preview.isPending}
            onClick={() => preview.mutate(input, { onSuccess: () => setPreviewed(wording) })}
          >
            {text('showPreview')}
          </Button>
          <Button
            isBusy={test.isPending}
            onClick={() =>
              test.mutate(input, { onSuccess: ({ mail_test }) => announce(verdict(mail_test.is_accepted)) })
            }
          >
            {text('sendTest')}
          </Button>
        </Row>
        <ProblemNotice error={preview.error ?? test.error} />
        {result === undefined ? null : (
          <Notice tone={result.is_accepted ? 'success' : 'danger'}>{verdict(result.is_accepted)}</Notice>
        )}
        {shown === undefined || previewed === null ? null : (
          <>
            {shown.problems.map((problem) => (
              <Notice key={problem} tone="danger">
                {problem}
              </Notice>
            ))}
            <TextField label={text('subject')} readOnly value={shown.subject} />
            <div className={classes.both}>
              <RenderedMail kind={kind} wording={previewed} />
              <TextArea label={text('previewText')} readOnly rows={22} value={shown.text} />
            </div>
          </>
        )}
      </Stack>
    </Card>
  );
}

/** Longer URLs are rejected by the server. */
const mostAddressChars = 12_000;

function RenderedMail({ kind, wording }: { kind: string; wording: Wording }) {
  const text = useText('admin/mail-templates');
  const [isDark, setDark] = useState(false);
  const [isPhone, setPhone] = useState(false);
  const query = new URLSearchParams({ ...wording, scheme: isDark ? 'dark' : 'light' });
  const address = `${basePath}/admin/mail_templates/${encodeURIComponent(kind)}/page?${query}`;
  if (address.length > mostAddressChars) return <Muted>{text('previewLong')}</Muted>;
  return (
    <Stack gap={8}>
      <Row>
        <Switch label={text('previewDark')} checked={isDark} onChange={setDark} />
        <Switch label={text('previewPhone')} checked={isPhone} onChange={setPhone} />
      </Row>
      <iframe
        title={text('previewHtml')}
        src={address}
        sandbox=""
        referrerPolicy="no-referrer"
        className={classes.frame}
        data-phone={isPhone}
      />
    </Stack>
  );
}
