import { useApi } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { Muted, Stack } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Loaded } from '../../../ui/states.tsx';

export function Readable() {
  const text = useText('admin/storage');
  const { size, number } = useFormats();
  const query = useApi('getReadableBytes', {});
  return (
    <Stack>
      <Muted>{text('readableHelp')}</Muted>
      <Loaded query={query}>
        {({ readable }) => (
          <PlainTable
            caption={text('readableTable')}
            isCaptionHidden
            isNumeric
            headers={[text('age'), text('files'), text('size')]}
            rows={readable.map(({ up_to_days: days, files, bytes }) => ({
              id: String(days),
              cells: [days === null ? text('ageOlder') : text('ageUpTo', { n: days }), number(files), size(bytes)],
            }))}
          />
        )}
      </Loaded>
    </Stack>
  );
}
