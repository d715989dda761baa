// Transfers of organisation.md 2: one searchable list of everything, and who outside has what open now.
import { useMe } from '../../../me.ts';
import { Screen } from '../../../parts/screen.tsx';
import { useText } from '../../../texts.ts';
import { Muted } from '../../../ui/layout.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { administrators } from '../../roles.ts';
import { OutsideTable } from './outside.tsx';
import { TransfersTable } from './table.tsx';

export default function TransfersScreen() {
  const text = useText('admin/transfers');
  const console = useText('admin/console');
  const { role } = useMe();
  return (
    <Screen title={text('title')} lead={text('lead')}>
      {administrators.includes(role) ? null : <Muted>{console('readOnly')}</Muted>}
      <Tabs
        label={text('tabs')}
        tabs={[
          { value: 'all', label: text('tabAll'), content: () => <TransfersTable /> },
          { value: 'outside', label: text('tabOutside'), content: () => <OutsideTable /> },
        ]}
      />
    </Screen>
  );
}
