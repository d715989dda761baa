// A9 of the experience brief: the log of events, searchable by person, kind, id and period.
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
