// Transfers of organisation.md 2: one searchable list, and open transfers of external recipients.
import { useText } from '../../../texts.ts';
import { Tabs } from '../../../ui/tabs.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { administrators } from '../../roles.ts';
import { OutsideTable } from './outside.tsx';
import { TransfersTable } from './table.tsx';

export default function TransfersScreen() {
  const text = useText('admin/transfers');
  return (
    <ConsoleScreen title={text('title')} lead={text('lead')} changers={administrators}>
      <Tabs
        label={text('tabs')}
        tabs={[
          { value: 'all', label: text('tabAll'), content: () => <TransfersTable /> },
          { value: 'outside', label: text('tabOutside'), content: () => <OutsideTable /> },
        ]}
      />
    </ConsoleScreen>
  );
}
