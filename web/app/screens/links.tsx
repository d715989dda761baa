// S6 of the experience brief.
import { Screen } from '../parts/screen.tsx';
import { useText } from '../texts.ts';

export default function LinksScreen() {
  const text = useText('links');
  return <Screen title={text('title')} />;
}
