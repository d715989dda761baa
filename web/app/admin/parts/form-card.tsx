// A card with a form: fields, the refusal, the checks behind it, and the buttons.
import type { FormEvent, ReactNode } from 'react';
import type { CheckBody } from '#contract/admin/checks.ts';
import { ClientProblem } from '#contract/client.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Muted, Row, Stack } from '../../ui/layout.tsx';
import { Notice, ProblemNotice } from '../../ui/states.tsx';
import { CheckList } from './checks.tsx';

interface Props {
  title: string;
  /** The mutation that saves. */
  change: { isPending: boolean; isSuccess: boolean; error: unknown };
  /** The refusal that no field shows, see useSealedForm. */
  otherError: unknown;
  submitLabel: string;
  /** Under the buttons: what happens before anything is saved. */
  submitHelp?: string;
  savedText: string;
  onSubmit: () => void;
  /** Further buttons, such as a test that saves nothing or `Remove`. */
  actions?: ReactNode;
  /** The result of a test that saves nothing. */
  result?: ReactNode;
  /** Names the checks of a refusal. */
  checks?: { label: string; nameOf(check: string): string };
  children: ReactNode;
}

export function FormCard(props: Props) {
  const { title, change, otherError, submitLabel, submitHelp, savedText, actions, result, checks, children } = props;
  const steps: readonly CheckBody[] = change.error instanceof ClientProblem ? change.error.steps : [];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!change.isPending) props.onSubmit();
  };
  return (
    <Card title={title}>
      <form onSubmit={submit} noValidate>
        <Stack gap={16} isForm>
          {children}
          <ProblemNotice error={otherError} />
          {checks === undefined || steps.length === 0 ? null : <CheckList checks={steps} {...checks} />}
          {change.isSuccess ? <Notice tone="success">{savedText}</Notice> : null}
          {result}
          <Row>
            <Button type="submit" variant="primary" isBusy={change.isPending}>
              {submitLabel}
            </Button>
            {actions}
          </Row>
          {submitHelp === undefined ? null : <Muted>{submitHelp}</Muted>}
        </Stack>
      </form>
    </Card>
  );
}
