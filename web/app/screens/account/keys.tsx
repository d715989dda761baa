import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import type { AppApiKeyBody } from '#contract/app/security.ts';
import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import { useFormats } from '../../formats.ts';
import { basePath } from '../../host-page.ts';
import { type TextKey, useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Muted, Stack } from '../../ui/layout.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { Pill, type PillTone } from '../../ui/pill.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import classes from './account.module.css';
import { type KeyAction, KeyDialog } from './key-dialogs.tsx';

export function AccountKeys() {
  const text = useText('account');
  const query = useApi('listApiKeys', {});
  const [action, setAction] = useState<KeyAction | null>(null);
  const isEmpty = query.data?.api_keys.length === 0;
  const add = (
    <Button id="new-api-key" variant="primary" icon={Plus} onClick={() => setAction({ is: 'create' })}>
      {text('newKey')}
    </Button>
  );
  return (
    <>
      <Card title={text('keysOwn')} isFlush actions={isEmpty ? undefined : add}>
        {query.data === undefined ? (
          <div className={classes.inset}>
            <Loaded query={query}>{() => null}</Loaded>
          </div>
        ) : isEmpty ? (
          <EmptyState icon={KeyRound} action={add}>
            {text('keysEmpty')}
          </EmptyState>
        ) : (
          <ul>
            {query.data.api_keys.map((apiKey) => (
              <KeyRow key={apiKey.id} apiKey={apiKey} onAction={setAction} />
            ))}
          </ul>
        )}
      </Card>
      <Examples />
      {action === null ? null : <KeyDialog action={action} onClose={() => setAction(null)} />}
    </>
  );
}

const states: Record<AppApiKeyBody['state'], [TextKey<'account'>, PillTone]> = {
  active: ['keyActive', 'success'],
  replaced: ['keyReplaced', 'warning'],
  expired: ['keyExpired', 'ended'],
};

function KeyRow({ apiKey, onAction }: { apiKey: AppApiKeyBody; onAction: (action: KeyAction) => void }) {
  const text = useText('account');
  const name = apiKey.kind === 'account' ? text('mainKey') : visibleText(apiKey.name);
  const [label, tone] = states[apiKey.state];
  return (
    <li className={classes.row} data-over={apiKey.state === 'expired'}>
      <div className={classes.rowText}>
        <span className={classes.rowTitle}>
          {name}
          <Pill tone={tone}>{text(label)}</Pill>
        </span>
        {apiKey.kind === 'account' ? <Muted as="span">{text('mainKeyHelp')}</Muted> : null}
        <KeyFacts apiKey={apiKey} />
      </div>
      {apiKey.state === 'expired' ? (
        <Button size="small" onClick={() => onAction({ is: 'replace', apiKey, name })}>
          {text('keyReplace')}
        </Button>
      ) : null}
      <KeyMenu apiKey={apiKey} name={name} onAction={onAction} />
    </li>
  );
}

function KeyFacts({ apiKey }: { apiKey: AppApiKeyBody }) {
  const text = useText('account');
  const { date, dateOf: day, dateTime: at, lastDayBefore } = useFormats();
  const { expires_at: end, last_used_at: used } = apiKey;
  return (
    <>
      <span className={classes.facts}>
        <span>{text.parts('keyStarts', { prefix: <code key="prefix">{apiKey.prefix}</code> })}</span>
        <span>{text('keyCreated', { date: day(apiKey.created_at) })}</span>
        <span>{used === null ? text('keyUnused') : text('keyUsed', { at: at(used), ip: apiKey.last_used_ip })}</span>
        <span>
          {end === null
            ? text('keyNeverExpires')
            : apiKey.state === 'replaced'
              ? text('keyReplacedUntil', { at: at(end) })
              : text(apiKey.state === 'expired' ? 'keyExpiredOn' : 'keyExpires', { date: date(lastDayBefore(end)) })}
        </span>
      </span>
      {apiKey.read_by === null || apiKey.read_at === null ? null : (
        <Muted as="span">{text('keyReadBy', { name: visibleText(apiKey.read_by), at: at(apiKey.read_at) })}</Muted>
      )}
    </>
  );
}

interface MenuProps {
  apiKey: AppApiKeyBody;
  name: string;
  onAction: (action: KeyAction) => void;
}

function KeyMenu({ apiKey, name, onAction }: MenuProps) {
  const text = useText('account');
  const ui = useText('ui');
  const isOwn = apiKey.kind === 'account' && apiKey.state === 'active';
  const items: MenuItem[] = [
    ...(isOwn ? [{ label: text('keyShow'), onClick: () => onAction({ is: 'show', apiKey, name }) }] : []),
    ...(apiKey.state === 'active'
      ? [
          { label: text('keyReplaceMenu'), onClick: () => onAction({ is: 'replace', apiKey, name }) },
          { label: text('keyRenew'), onClick: () => onAction({ is: 'renew', apiKey, name }) },
        ]
      : []),
  ];
  return (
    <Menu
      label={ui('actionsFor', { name })}
      groups={[
        { items },
        {
          items: [
            { label: text('keyRevoke'), isDanger: true, onClick: () => onAction({ is: 'revoke', apiKey, name }) },
          ],
        },
      ]}
    />
  );
}

/** The key comes from an environment variable. */
function Examples() {
  const text = useText('account');
  const address = `${location.origin}${basePath}/account`;
  return (
    <Card title={text('examples')}>
      <Stack>
        <Muted>{text('examplesText')}</Muted>
        <CopyField
          label={text('exampleBasic')}
          value={`curl -u YOUR_KEY:x ${address}`}
          announcement={text('exampleCopied')}
          isLong
          lines={2}
        />
        <CopyField
          label={text('exampleBearer')}
          value={`curl -H 'Authorization: Bearer YOUR_KEY' ${address}`}
          announcement={text('exampleCopied')}
          isLong
          lines={2}
        />
      </Stack>
    </Card>
  );
}
