import type { OverviewBody } from '#contract/admin/overview.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { Card } from '../../../ui/card.tsx';
import { Pairs } from '../../../ui/layout.tsx';

export function Today({ today: { messages, downloads, bytes } }: { today: OverviewBody['today'] }) {
  const text = useText('admin/overview');
  const formats = useFormats();
  const sentence = (figure: { today: number; usual: number }, write: (value: number) => string) =>
    text('todayUsual', { today: write(figure.today), usual: write(figure.usual) });
  return (
    <Card title={text('today')}>
      <Pairs
        pairs={[
          { name: text('messages'), value: sentence(messages, formats.number) },
          { name: text('downloads'), value: sentence(downloads, formats.number) },
          { name: text('received'), value: sentence(bytes, formats.size) },
        ]}
      />
    </Card>
  );
}
