import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { Tabs } from '../../../ui/tabs.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { administrators } from '../../roles.ts';
import { HandOvers } from './hand-overs.tsx';
import { OutsideTable } from './outside.tsx';
import { TransfersTable } from './table.tsx';

export default function TransfersScreen() {
  const text = useText('admin/transfers');
  const mayChange = administrators.includes(useMe().role);
  return (
    <ConsoleScreen title={text('title')} lead={text('lead')} changers={administrators}>
      <Tabs
        label={text('tabs')}
        tabs={[
          { value: 'all', label: text('tabAll'), content: () => <TransfersTable /> },
          { value: 'outside', label: text('tabOutside'), content: () => <OutsideTable /> },
          ...(mayChange ? [{ value: 'hand-overs', label: text('tabHandOvers'), content: () => <HandOvers /> }] : []),
        ]}
      />
    </ConsoleScreen>
  );
}
