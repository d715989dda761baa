import type { OverviewBody } from '#contract/admin/overview.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { Card } from '../../../ui/card.tsx';
import { Muted, Pairs, Stack } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Progress } from '../../../ui/progress.tsx';

export function Mail({ mail }: { mail: OverviewBody['mail'] }) {
  const text = useText('admin/overview');
  const formats = useFormats();
  return (
    <Card title={text('mail')}>
      <Pairs
        pairs={[
          { name: text('waiting'), value: formats.number(mail.waiting) },
          ...(mail.oldest_at === null ? [] : [{ name: text('oldest'), value: formats.dateTime(mail.oldest_at) }]),
          { name: text('refused'), value: formats.number(mail.refused) },
        ]}
      />
    </Card>
  );
}

export function Storage({ storage: { kept, used, total, full_on } }: { storage: OverviewBody['storage'] }) {
  const text = useText('admin/overview');
  const formats = useFormats();
  const space = used === null || total === null ? null : { used, total };
  const usage =
    space === null ? '' : text('diskOf', { used: formats.size(space.used), total: formats.size(space.total) });
  return (
    <Card title={text('storage')}>
      <Stack>
        <Pairs
          pairs={[
            { name: text('kept'), value: formats.size(kept) },
            ...(space === null ? [] : [{ name: text('disk'), value: usage }]),
          ]}
        />
        {space === null ? null : (
          <Progress
            share={space.total === 0 ? 1 : space.used / space.total}
            label={text('disk')}
            text={usage}
            showsText={false}
          />
        )}
        <Muted>{full_on === null ? text('noForecast') : text('fullOn', { date: formats.longDate(full_on) })}</Muted>
      </Stack>
    </Card>
  );
}

/** Old files that are still shared are the main risk of leaks. */
export function Readable({ readable }: { readable: OverviewBody['readable'] }) {
  const text = useText('admin/overview');
  const formats = useFormats();
  const oldest = readable.findLast(({ up_to_days }) => up_to_days !== null)?.up_to_days ?? 0;
  return (
    <Card title={text('readable')}>
      <PlainTable
        caption={text('readableTable')}
        isCaptionHidden
        isNumeric
        headers={[text('age'), text('files'), text('size')]}
        rows={readable.map(({ up_to_days: days, files, bytes }) => ({
          id: String(days),
          cells: [
            days === null ? text('older', { n: oldest }) : text('upTo', { n: days }),
            formats.number(files),
            formats.size(bytes),
          ],
        }))}
      />
    </Card>
  );
}
