// A2 of the experience brief: people. Filters are in the address; the counts above the list are filters too.
import { Users } from 'lucide-react';
import { Screen } from '../../../parts/screen.tsx';
import { useText } from '../../../texts.ts';
import { EmptyState } from '../../../ui/states.tsx';
import { UsersTable } from './table.tsx';

export default function UsersScreen() {
  const text = useText('admin/users');
  return (
    <Screen title={text('title')} lead={text('lead')}>
      <UsersTable empty={<EmptyState icon={Users}>{text('empty')}</EmptyState>} />
    </Screen>
  );
}
