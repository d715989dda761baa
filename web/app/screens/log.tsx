// S9 of the experience brief.
import { Screen } from '../parts/screen.tsx';
import { useText } from '../texts.ts';

export default function LogScreen() {
  const text = useText('log');
  return <Screen title={text('title')} />;
}
