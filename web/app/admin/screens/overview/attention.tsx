import { TriangleAlert } from 'lucide-react';
import type { AttentionBody } from '#contract/admin/overview.ts';
import { visibleText } from '../../../../visible.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { type TextKey, useText } from '../../../texts.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Muted, Note, Row, Stack } from '../../../ui/layout.tsx';
import { itemNamed } from '../../navigation.ts';
import classes from './overview.module.css';

const problems: Record<AttentionBody['topic'], [TextKey<'admin/overview'>, TextKey<'admin/overview'>, Screen]> = {
  'mail-off': ['mailOff', 'mailOffFix', 'mailDelivery'],
  'mail-waiting': ['mailWaiting', 'mailWaitingFix', 'mailDelivery'],
  'mail-refused': ['mailRefused', 'mailRefusedFix', 'mailDelivery'],
  'storage-full': ['storageFull', 'storageFullFix', 'storage'],
  'storage-trouble': ['storageTrouble', 'storageTroubleFix', 'storage'],
  'jobs-failing': ['jobsFailing', 'jobsFailingFix', 'system'],
  'erasing-paused': ['erasingPaused', 'erasingPausedFix', 'system'],
  'clock-wrong': ['clockWrong', 'clockWrongFix', 'system'],
  'backup-failed': ['backupFailed', 'backupFailedFix', 'system'],
  'drill-failed': ['drillFailed', 'drillFailedFix', 'system'],
  'events-unsealed': ['eventsUnsealed', 'eventsUnsealedFix', 'system'],
  quarantined: ['quarantined', 'quarantinedFix', 'system'],
  'files-damaged': ['filesDamaged', 'filesDamagedFix', 'storage'],
};

type Screen = 'mailDelivery' | 'storage' | 'system';

export function Attention({ items }: { items: readonly AttentionBody[] }) {
  return (
    <ul className={classes.list}>
      {items.map((item) => (
        <Item key={item.topic} item={item} />
      ))}
    </ul>
  );
}

function Item({ item: { topic, count, detail, since } }: { item: AttentionBody }) {
  const text = useText('admin/overview');
  const places = useText('admin/console');
  const formats = useFormats();
  const [what, cure, screen] = problems[topic];
  const item = itemNamed(screen, useMe().role);
  const values = { n: count ?? 0, time: since === null ? '' : formats.dateTime(since) };
  return (
    <li className={classes.item}>
      <Stack gap={4}>
        <Note icon={TriangleAlert} tone="warning">
          <strong>{text(what, values)}</strong>
        </Note>
        {detail === '' ? null : <Muted>{visibleText(detail)}</Muted>}
        <p>{text(cure)}</p>
        {item === null ? null : (
          <Row>
            <ButtonLink size="small" to={item.to}>
              {places(item.label)}
            </ButtonLink>
          </Row>
        )}
      </Stack>
    </li>
  );
}
