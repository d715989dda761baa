import { CircleCheck, CircleOff, MailPlus } from 'lucide-react';
import type { PersonBody } from '#contract/admin/user-lists.ts';
import { type TextKey, useText } from '../../../texts.ts';
import { Pill } from '../../../ui/pill.tsx';

const roleNames: Record<PersonBody['role'], TextKey<'admin/users'>> = {
  user: 'roleUser',
  auditor: 'roleAuditor',
  administrator: 'roleAdministrator',
  system_administrator: 'roleSystemAdministrator',
};

export const roles = Object.keys(roleNames) as PersonBody['role'][];

export function useRoleName(): (role: PersonBody['role']) => string {
  const text = useText('admin/users');
  return (role) => text(roleNames[role]);
}

const states = {
  active: { label: 'stateActive', tone: 'success', icon: CircleCheck },
  invited: { label: 'stateInvited', tone: 'progress', icon: MailPlus },
  disabled: { label: 'stateDisabled', tone: 'ended', icon: CircleOff },
} as const;

export const stateChoices = Object.entries(states).map(([value, { label }]) => ({ value, label }));

export function UserState({ person }: { person: Pick<PersonBody, 'state'> }) {
  const text = useText('admin/users');
  const { label, tone, icon } = states[person.state];
  return (
    <Pill tone={tone} icon={icon}>
      {text(label)}
    </Pill>
  );
}
