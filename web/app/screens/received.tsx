// S4 of the experience brief.
import { Screen } from '../parts/screen.tsx';
import { useText } from '../texts.ts';

export default function ReceivedScreen() {
  const text = useText('received');
  return <Screen title={text('title')} />;
}
