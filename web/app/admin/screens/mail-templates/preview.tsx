// The mail with sample data, which follows what is typed.
import type { CallAnswer } from '#contract/client.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { basePath } from '../../../host-page.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { TextArea, TextField } from '../../../ui/field.tsx';
import { Muted, Stack } from '../../../ui/layout.tsx';
import { Notice, ProblemNotice } from '../../../ui/states.tsx';
import { PreviewFrame, useSettled } from '../../parts/preview-frame.tsx';

type Wording = Pick<CallAnswer<'getMailTemplate'>['mail_template'], 'subject' | 'intro' | 'closing'>;

/** Longer URLs are rejected by the server. */
const mostAddressChars = 12_000;

export function Preview({ kind, wording }: { kind: string; wording: Wording }) {
  const text = useText('admin/mail-templates');
  const { subject, intro, closing } = wording;
  const typed = useSettled(JSON.stringify({ subject, intro, closing }));
  const body = { mail_template: JSON.parse(typed) as Wording };
  const preview = useApi('previewMailTemplate', { params: { kind }, body }, { keepsLast: true });
  const test = useApiChange('testMailTemplate', []);
  const shown = preview.data?.preview;
  const result = test.data?.mail_test;
  const verdict = (isAccepted: boolean) => text(isAccepted ? 'testSent' : 'testNotSent');
  const addressOf = (scheme: 'light' | 'dark') =>
    `${basePath}/admin/mail_templates/${encodeURIComponent(kind)}/page?${new URLSearchParams({ subject, intro, closing, scheme })}`;
  return (
    <Card
      title={text('preview')}
      actions={
        <Button
          size="small"
          isBusy={test.isPending}
          onClick={() =>
            test.mutate(
              { params: { kind }, body: { mail_template: wording } },
              { onSuccess: ({ mail_test }) => announce(verdict(mail_test.is_accepted)) },
            )
          }
        >
          {text('sendTest')}
        </Button>
      }
    >
      <Stack gap={16}>
        <ProblemNotice error={preview.error ?? test.error} />
        {result === undefined ? null : (
          <Notice tone={result.is_accepted ? 'success' : 'danger'}>{verdict(result.is_accepted)}</Notice>
        )}
        {shown?.problems.map((problem) => (
          <Notice key={problem} tone="danger">
            {problem}
          </Notice>
        ))}
        <TextField label={text('subject')} readOnly value={shown?.subject ?? ''} />
        {addressOf('light').length > mostAddressChars ? (
          <Muted>{text('previewLong')}</Muted>
        ) : (
          <PreviewFrame title={text('previewHtml')} addressOf={addressOf} />
        )}
        <details>
          <summary>{text('previewText')}</summary>
          <TextArea label={text('previewText')} isLabelHidden readOnly rows={16} value={shown?.text ?? ''} />
        </details>
      </Stack>
    </Card>
  );
}
