// S5 of the experience brief.
import { Screen } from '../parts/screen.tsx';
import { useText } from '../texts.ts';

export default function SentDetailScreen() {
  const text = useText('sent');
  return <Screen title={text('detailTitle')} />;
}
