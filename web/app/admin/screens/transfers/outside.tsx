import { Link } from '@tanstack/react-router';
import { Globe } from 'lucide-react';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { Card } from '../../../ui/card.tsx';
import { Muted, Stack } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { EmptyState, Loaded } from '../../../ui/states.tsx';

export function OutsideTable() {
  const text = useText('admin/transfers');
  const { number, size, date } = useFormats();
  const query = useApi('listOutside', {});
  return (
    <Loaded query={query}>
      {({ outside }) =>
        outside.length === 0 ? (
          <EmptyState icon={Globe}>{text('outsideEmpty')}</EmptyState>
        ) : (
          <Stack>
            <Muted>{text('outsideLead')}</Muted>
            <Card>
              <PlainTable
                caption={text('outsideCaption')}
                isCaptionHidden
                isNumeric
                headers={[
                  text('domain'),
                  text('people'),
                  text('messages'),
                  text('requests'),
                  text('size'),
                  text('lastUntil'),
                ]}
                rows={outside.map((found) => ({
                  id: found.domain,
                  cells: [
                    <Link key="domain" to="/admin/transfers" search={{ domain: found.domain, state: 'open' } as never}>
                      <bdi>{visibleText(found.domain)}</bdi>
                    </Link>,
                    number(found.people),
                    number(found.messages),
                    number(found.requests),
                    size(found.size),
                    date(found.last_expires_at),
                  ],
                }))}
              />
            </Card>
          </Stack>
        )
      }
    </Loaded>
  );
}
