// Files are downloaded on the Received screen.

import { Link } from '@tanstack/react-router';
import type { AppDeliveryBody, AppRequestDetailBody } from '#contract/app/file-requests.ts';
import { visibleText } from '../../../visible.ts';
import { useFormats } from '../../formats.ts';
import { useNames } from '../../names.ts';
import { useText } from '../../texts.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { FileList, FileRow } from '../../ui/file-row.tsx';
import { Muted, Row, Stack } from '../../ui/layout.tsx';
import { Notice } from '../../ui/states.tsx';
import classes from './file-requests.module.css';

export function RequestDeliveries({ request }: { request: AppRequestDetailBody }) {
  const text = useText('file-requests');
  const names = useNames();
  const isOpen = request.state === 'waiting' || request.state === 'open';
  if (request.deliveries_list.length === 0)
    return (
      <Muted>
        {isOpen ? text('deliveriesNone', { person: names.of(request.recipient) }) : text('deliveriesEnded')}
      </Muted>
    );
  return request.deliveries_list.map((delivery) => <Delivery key={delivery.message_id} delivery={delivery} />);
}

function Delivery({ delivery }: { delivery: AppDeliveryBody }) {
  const text = useText('file-requests');
  const formats = useFormats();
  const dateTime = formats.dateTime(delivery.received_at);
  const date = formats.longDate(delivery.expires_at);
  const { sender, sender_name: name } = delivery;
  return (
    <article className={classes.delivery}>
      <Row isSpread>
        <Stack gap={2}>
          <h3>
            {name === '' || name === sender
              ? visibleText(sender)
              : text('deliveredBy', { name: visibleText(name), address: visibleText(sender) })}
          </h3>
          <Muted>{text(delivery.is_available ? 'deliveredAt' : 'deliveredGone', { moment: dateTime, date })}</Muted>
        </Stack>
        {delivery.is_available ? (
          <ButtonLink
            to="/received/$id"
            params={{ id: delivery.message_id }}
            size="small"
            aria-label={text('openDeliveryName', { moment: dateTime })}
          >
            {text('openDelivery')}
          </ButtonLink>
        ) : null}
      </Row>
      {delivery.is_sender_confirmed ? null : <Notice tone="warning">{text('notConfirmed')}</Notice>}
      <FileList label={text('filesOf', { moment: dateTime })}>
        {delivery.files.map((file) => {
          const size = formats.size(file.size);
          return (
            <FileRow
              key={file.id}
              name={file.filename}
              state={file.is_available ? size : text('fileGone', { size })}
              link={(shown) =>
                file.is_available ? (
                  <Link to="/received/$id" params={{ id: delivery.message_id }}>
                    <bdi>{shown}</bdi>
                  </Link>
                ) : (
                  <bdi>{shown}</bdi>
                )
              }
            />
          );
        })}
      </FileList>
    </article>
  );
}
