// S7 of the experience brief.
import { Screen } from '../parts/screen.tsx';
import { useText } from '../texts.ts';

export default function RequestsScreen() {
  const text = useText('requests');
  return <Screen title={text('title')} />;
}
