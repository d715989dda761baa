// S8 of the experience brief.
import { Screen } from '../parts/screen.tsx';
import { useText } from '../texts.ts';

export default function DropScreen() {
  const text = useText('drop');
  return <Screen title={text('title')} />;
}
