// S13 of the experience brief.
import { Screen } from '../parts/screen.tsx';
import { useText } from '../texts.ts';

export default function SearchScreen() {
  const text = useText('search');
  return <Screen title={text('title')} />;
}
