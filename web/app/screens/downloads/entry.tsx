// Values are not rounded, because they are evidence.
import type { DownloadBody } from '#contract/downloads.ts';
import { regional } from '#language/locale.ts';
import { visibleText } from '../../../visible.ts';
import { useFormats } from '../../formats.ts';
import { PersonName } from '../../parts/person-name.tsx';
import { type TextKey, useText } from '../../texts.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { Stack } from '../../ui/layout.tsx';
import classes from './downloads.module.css';
import type { Scope } from './scope.ts';

type Field = keyof DownloadBody;

const groups: [TextKey<'downloads'>, [Field, TextKey<'downloads'>][]][] = [
  [
    'partDownload',
    [
      ['downloaded_at', 'downloadedAt'],
      ['recipient', 'recipient'],
      ['download_time', 'duration'],
      ['download_speed', 'rate'],
      ['message_id', 'messageId'],
      ['filelink_id', 'linkId'],
      ['user_id', 'owner'],
      ['id', 'entryId'],
    ],
  ],
  [
    'partFile',
    [
      ['filename', 'fileName'],
      ['size', 'size'],
      ['content_type', 'contentType'],
      ['checksum', 'checksum'],
      ['crc32', 'crc32'],
      ['attachment_id', 'attachmentId'],
    ],
  ],
  [
    'partPlace',
    [
      ['remote_ip', 'remoteIp'],
      ['remote_host', 'remoteHost'],
      ['location', 'location'],
      ['city', 'city'],
      ['region_name', 'region'],
      ['region_code', 'regionCode'],
      ['country_name', 'countryName'],
      ['country_code', 'countryCode'],
      ['latitude', 'latitude'],
      ['longitude', 'longitude'],
    ],
  ],
  [
    'partDevice',
    [
      ['browser', 'browser'],
      ['os', 'os'],
      ['platform', 'platform'],
      ['user_agent', 'userAgent'],
    ],
  ],
];

const codes = new Set<Field>([
  'checksum',
  'crc32',
  'attachment_id',
  'message_id',
  'filelink_id',
  'remote_ip',
  'remote_host',
  'user_agent',
]);

export function EntryDrawer({
  entry,
  scope,
  onClose,
}: {
  entry: DownloadBody | null;
  scope: Scope;
  onClose: () => void;
}) {
  const text = useText('downloads');
  return (
    <Drawer
      title={entry === null ? '' : visibleText(entry.filename)}
      isOpen={entry !== null}
      onClose={onClose}
      actions={entry === null ? null : <RelatedDownloads entry={entry} scope={scope} onClose={onClose} />}
    >
      {entry === null ? null : (
        <Stack gap={20}>
          {groups.map(([title, fields]) => (
            <section key={title}>
              <h3>{text(title)}</h3>
              <dl className={classes.fields}>
                {fields.map(([field, label]) => (
                  <div key={field} className={classes.field}>
                    <dt>{text(label)}</dt>
                    <dd data-code={codes.has(field)}>
                      <Value entry={entry} field={field} />
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </Stack>
      )}
    </Drawer>
  );
}

function Value({ entry, field }: { entry: DownloadBody; field: Field }) {
  const text = useText('downloads');
  const formats = useFormats();
  const value = entry[field];
  const number = new Intl.NumberFormat(regional(formats.locale), { maximumFractionDigits: 6 });
  if (field === 'downloaded_at') {
    const { downloaded_at: at } = entry;
    return (
      <>
        {formats.longDate(formats.dayOf(at))}, {formats.time(at)}
        <br />
        <time dateTime={at}>{at}</time>
      </>
    );
  }
  if (field === 'recipient' && entry.recipient !== '') return <PersonName address={entry.recipient} />;
  if (value === '' || value === null) return field === 'recipient' ? text('someone') : text('none');
  if (field === 'download_time') return text('seconds', { n: number.format(Number(value)) });
  if (field === 'size') return text('bytes', { n: number.format(entry.size) });
  if (field === 'download_speed') return text('bytesPerSecond', { n: number.format(entry.download_speed) });
  if (field === 'id') return String(value);
  return typeof value === 'number' ? number.format(value) : <bdi>{visibleText(value)}</bdi>;
}

function RelatedDownloads({ entry, scope, onClose }: { entry: DownloadBody; scope: Scope; onClose: () => void }) {
  const text = useText('downloads');
  const only = (params: Record<string, string>) => () => {
    onClose();
    scope.list.filter(params);
  };
  return (
    <>
      <Button onClick={only({ file: entry.attachment_id })}>{text('onlyThisFile')}</Button>
      {entry.recipient === '' ? null : (
        <Button onClick={only({ person: entry.recipient })}>{text('onlyThisPerson')}</Button>
      )}
      {entry.message_id === null ? null : (
        <ButtonLink to="/sent/$id" params={{ id: entry.message_id }}>
          {text('openMessage')}
        </ButtonLink>
      )}
      {entry.filelink_id === null ? null : (
        <ButtonLink to="/links/$id" params={{ id: entry.filelink_id }}>
          {text('openLink')}
        </ButtonLink>
      )}
    </>
  );
}
