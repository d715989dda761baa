import { Screen } from '../../../parts/screen.tsx';
import { useText } from '../../../texts.ts';
import { EventsTable } from './table.tsx';

export default function EventsScreen() {
  const text = useText('admin/events');
  return (
    <Screen title={text('title')} lead={text('lead')}>
      <EventsTable />
    </Screen>
  );
}
