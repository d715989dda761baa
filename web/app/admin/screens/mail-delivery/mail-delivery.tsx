import type { CallAnswer } from '#contract/client.ts';
import { useApi } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { Card } from '../../../ui/card.tsx';
import { Muted, Pairs, Stack } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Loaded, Notice } from '../../../ui/states.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { SettingsTable } from '../../parts/settings-table.tsx';
import { systemAdministrators } from '../../roles.ts';
import { MailQueue } from './queue.tsx';
import { ServerSettings } from './server-settings.tsx';
import { DomainCheck, TestMail } from './tests.tsx';

type Delivery = CallAnswer<'getMailDelivery'>['mail'];

export default function MailDeliveryScreen() {
  const text = useText('admin/mail-delivery');
  const mayChange = systemAdministrators.includes(useMe().role);
  const delivery = useApi('getMailDelivery', {});
  return (
    <ConsoleScreen title={text('title')} lead={text('lead')} changers={systemAdministrators}>
      <Loaded query={delivery}>
        {({ mail }) => (
          <Stack gap={24}>
            {mail.is_set_up ? null : (
              <Notice tone="warning" title={text('notSetUp')}>
                {text('notSetUpText')}
              </Notice>
            )}
            {mayChange ? <ServerSettings /> : null}
            {mayChange && mail.is_set_up ? <TestMail /> : null}
            <DomainCheck domain={mail.from.slice(mail.from.indexOf('@') + 1)} />
            <MailQueue mayChange={mayChange} />
            <Refusals />
            <Transport mail={mail} />
          </Stack>
        )}
      </Loaded>
    </ConsoleScreen>
  );
}

const protections = { TLS: 'protectionTls', STARTTLS: 'protectionStartTls', none: 'protectionNone' } as const;

function Transport({ mail }: { mail: Delivery }) {
  const text = useText('admin/mail-delivery');
  return (
    <Card title={text('way')}>
      <Stack gap={16}>
        <Pairs
          pairs={[
            { name: text('server'), value: mail.server },
            { name: text('protection'), value: text(protections[mail.security]) },
            { name: text('user'), value: mail.user ?? '–' },
            { name: text('from'), value: mail.from },
            { name: text('bounces'), value: mail.envelope_from },
            { name: text('ownDomains'), value: mail.own_domains.length === 0 ? '–' : mail.own_domains.join(', ') },
            {
              name: text('rate'),
              value: mail.rate_per_minute === 0 ? text('noLimit') : text('perMinute', { n: mail.rate_per_minute }),
            },
          ]}
        />
        <SettingsTable caption={text('settings')} settings={mail.settings} />
      </Stack>
    </Card>
  );
}

function Refusals() {
  const text = useText('admin/mail-delivery');
  const formats = useFormats();
  const refusals = useApi('listMailRefusals', {});
  return (
    <Card title={text('refusals')}>
      <Loaded query={refusals}>
        {({ refusals: found }) =>
          found.length === 0 ? (
            <Muted>{text('noRefusals')}</Muted>
          ) : (
            <PlainTable
              caption={text('refusalsCaption')}
              headers={[text('domain'), text('mails'), text('lastOn'), text('said')]}
              rows={found.map(({ domain, mails, last_at, said }) => ({
                id: domain,
                cells: [domain, formats.number(mails), formats.shortDate(formats.dayOf(last_at)), said],
              }))}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
