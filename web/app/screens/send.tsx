// S1 of the experience brief.
import { Screen } from '../parts/screen.tsx';
import { useText } from '../texts.ts';

export default function SendScreen() {
  const text = useText('send');
  return <Screen title={text('title')} />;
}
