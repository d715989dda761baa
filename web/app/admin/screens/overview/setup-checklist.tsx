// Steps that are left after the first start. The server decides which; without any, nothing is shown.
import { Link } from '@tanstack/react-router';
import { Circle } from 'lucide-react';
import type { SetupStep } from '#contract/admin/setup-checklist.ts';
import { useApi } from '../../../api.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { Card } from '../../../ui/card.tsx';
import { Muted, Note, Stack } from '../../../ui/layout.tsx';
import { itemNamed } from '../../navigation.ts';
import { systemAdministrators } from '../../roles.ts';

const screenOf = {
  mail: 'mailDelivery',
  public_address: 'system',
  backup: 'system',
  // Of the own account.
  second_step: null,
  second_administrator: 'users',
  second_person: 'users',
  branding: 'branding',
} as const satisfies Record<SetupStep, string | null>;

/** None for people who cannot do them. */
export function useSetupSteps(): readonly SetupStep[] {
  const isEnabled = systemAdministrators.includes(useMe().role);
  return useApi('listSetupSteps', {}, { isEnabled }).data?.steps ?? [];
}

export function SetupChecklist({ steps }: { steps: readonly SetupStep[] }) {
  const text = useText('admin/setup-checklist');
  if (steps.length === 0) return null;
  return (
    <Card title={text('title')}>
      <Stack as="ul" gap={16} label={text('title')}>
        {steps.map((step) => (
          <Step key={step} step={step} />
        ))}
      </Stack>
    </Card>
  );
}

function Step({ step }: { step: SetupStep }) {
  const text = useText('admin/setup-checklist');
  const { role } = useMe();
  const label = screenOf[step];
  const item = label === null ? null : itemNamed(label, role);
  return (
    <li>
      <Note icon={Circle}>
        {label === null ? (
          <Link to="/account/$section" params={{ section: 'security' }}>
            {text(step)}
          </Link>
        ) : item === null ? (
          <strong>{text(step)}</strong>
        ) : (
          <Link to={item.to}>{text(step)}</Link>
        )}
        <Muted as="div">{text(`${step}_how`)}</Muted>
      </Note>
    </li>
  );
}
