import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import type { AttentionBody } from '#contract/admin/overview.ts';
import { visibleText } from '../../../../visible.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { type TextKey, useText } from '../../../texts.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Muted, Note } from '../../../ui/layout.tsx';
import { itemNamed } from '../../navigation.ts';
import classes from './overview.module.css';

type Screen =
  | 'evidence'
  | 'mailDelivery'
  | 'quarantine'
  | 'reviews'
  | 'scanner'
  | 'security'
  | 'signInServices'
  | 'storage'
  | 'system'
  | 'webhooks';
type Tone = 'danger' | 'warning';

const problems: Record<AttentionBody['topic'], [TextKey<'admin/overview'>, TextKey<'admin/overview'>, Screen, Tone]> = {
  'mail-off': ['mailOff', 'mailOffFix', 'mailDelivery', 'warning'],
  'mail-waiting': ['mailWaiting', 'mailWaitingFix', 'mailDelivery', 'danger'],
  'mail-refused': ['mailRefused', 'mailRefusedFix', 'mailDelivery', 'danger'],
  'storage-full': ['storageFull', 'storageFullFix', 'storage', 'danger'],
  'storage-trouble': ['storageTrouble', 'storageTroubleFix', 'storage', 'danger'],
  'jobs-failing': ['jobsFailing', 'jobsFailingFix', 'system', 'danger'],
  'erasing-paused': ['erasingPaused', 'erasingPausedFix', 'system', 'warning'],
  'clock-wrong': ['clockWrong', 'clockWrongFix', 'system', 'danger'],
  'backup-missing': ['backupMissing', 'backupMissingFix', 'system', 'warning'],
  'backup-failed': ['backupFailed', 'backupFailedFix', 'system', 'danger'],
  'drill-failed': ['drillFailed', 'drillFailedFix', 'system', 'danger'],
  'events-unsealed': ['eventsUnsealed', 'eventsUnsealedFix', 'system', 'warning'],
  'witness-failing': ['witnessFailing', 'witnessFailingFix', 'evidence', 'warning'],
  'stream-failing': ['streamFailing', 'streamFailingFix', 'webhooks', 'danger'],
  'certificate-expiring': ['certificateExpiring', 'certificateExpiringFix', 'system', 'danger'],
  'credential-ending': ['credentialEnding', 'credentialEndingFix', 'signInServices', 'warning'],
  'sync-stopped': ['syncStopped', 'syncStoppedFix', 'signInServices', 'danger'],
  'webhook-off': ['webhookOff', 'webhookOffFix', 'webhooks', 'danger'],
  quarantined: ['quarantined', 'quarantinedFix', 'system', 'warning'],
  'scanner-silent': ['scannerSilent', 'scannerSilentFix', 'scanner', 'danger'],
  'files-held': ['filesHeld', 'filesHeldFix', 'quarantine', 'warning'],
  'reviews-waiting': ['reviewsWaiting', 'reviewsWaitingFix', 'reviews', 'warning'],
  'passkeys-elsewhere': ['passkeysElsewhere', 'passkeysElsewhereFix', 'security', 'danger'],
  'files-damaged': ['filesDamaged', 'filesDamagedFix', 'storage', 'danger'],
};

/** `isInOrder`: nothing else is left to do, and the state is known. */
export function Attention({ items, isInOrder }: { items: readonly AttentionBody[]; isInOrder: boolean }) {
  const text = useText('admin/overview');
  if (items.length === 0)
    return isInOrder ? (
      <Card>
        <Note icon={CircleCheck} tone="success">
          <strong>{text('inOrder')}</strong>
        </Note>
      </Card>
    ) : null;
  return (
    <Card title={text('attention')} mark={String(items.length)} isFlush>
      <ul className={classes.list}>
        {items.map((item) => (
          <Item key={item.topic} item={item} />
        ))}
      </ul>
    </Card>
  );
}

function Item({ item: { topic, count, detail, since } }: { item: AttentionBody }) {
  const text = useText('admin/overview');
  const places = useText('admin/console');
  const formats = useFormats();
  const [what, cure, screen, tone] = problems[topic];
  const item = itemNamed(screen, useMe().role);
  const values = { n: count ?? 0, time: since === null ? '' : formats.dateTime(since) };
  return (
    <li className={classes.item} data-tone={tone}>
      <Icon of={tone === 'danger' ? CircleAlert : TriangleAlert} sizePx={18} />
      <div>
        <strong>{text(what, values)}</strong>
        <Muted>
          {text(cure, values)} {visibleText(detail)}
        </Muted>
      </div>
      {item === null ? null : (
        <ButtonLink size="small" to={item.to}>
          {places(item.label)}
        </ButtonLink>
      )}
    </li>
  );
}
