import { CircleAlert, CircleCheck, CircleMinus, TriangleAlert } from 'lucide-react';
import type { CheckBody } from '#contract/admin/checks.ts';
import { useText } from '../../texts.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { Muted, Row, Stack } from '../../ui/layout.tsx';
import { Pill } from '../../ui/pill.tsx';

const marks = {
  passed: { label: 'checkPassed', tone: 'success', icon: CircleCheck },
  warning: { label: 'checkWarning', tone: 'warning', icon: TriangleAlert },
  failed: { label: 'checkFailed', tone: 'danger', icon: CircleAlert },
  skipped: { label: 'checkSkipped', tone: 'ended', icon: CircleMinus },
} as const;

interface Props {
  label: string;
  checks: readonly CheckBody[];
  nameOf(check: string): string;
}

export function CheckList({ label, checks, nameOf }: Props) {
  return (
    <Stack as="ol" gap={16} label={label}>
      {checks.map((check) => (
        <li key={check.check}>
          <OneCheck check={check} name={nameOf(check.check)} />
        </li>
      ))}
    </Stack>
  );
}

function OneCheck({ check, name }: { check: CheckBody; name: string }) {
  const text = useText('admin/console');
  const { label, tone, icon } = marks[check.state];
  const { record } = check;
  return (
    <Stack gap={4}>
      <Row>
        <Pill tone={tone} icon={icon}>
          {text(label)}
        </Pill>
        <strong>{name}</strong>
      </Row>
      <p>{check.sentence}</p>
      {check.cure === null ? null : <p>{check.cure}</p>}
      {check.said === '' ? null : <Muted>{text('checkSaid', { words: check.said })}</Muted>}
      {record === null ? null : (
        <>
          <CopyField label={text('recordName', { type: record.type })} value={record.name} />
          {record.value === '' ? null : <CopyField label={text('recordValue')} value={record.value} />}
        </>
      )}
    </Stack>
  );
}

export function useCheckSummary(): (checks: readonly CheckBody[]) => string {
  const text = useText('admin/console');
  return (checks) => {
    const count = (...states: CheckBody['state'][]) => checks.filter(({ state }) => states.includes(state)).length;
    return text('checkSummary', { passed: count('passed'), wrong: count('warning', 'failed') });
  };
}
