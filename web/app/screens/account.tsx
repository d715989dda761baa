// S10 of the experience brief.
import { Screen } from '../parts/screen.tsx';
import { useText } from '../texts.ts';

export default function AccountScreen() {
  const text = useText('account');
  return <Screen title={text('title')} />;
}
