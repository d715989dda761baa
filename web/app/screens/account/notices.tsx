// Which mails the user receives.
import type { NoticesBody } from '#contract/app/account.ts';
import { useApi } from '../../api.ts';
import { useText } from '../../texts.ts';
import { RadioGroup, Switch } from '../../ui/choice.tsx';
import { Muted } from '../../ui/layout.tsx';
import { Loaded } from '../../ui/states.tsx';
import { SettingCard, useSetting } from './setting-card.tsx';

export function AccountNotices() {
  const text = useText('account');
  return (
    <Loaded query={useApi('getNotices', {})} lines={6}>
      {({ notices }) => (
        <>
          <Receipts notices={notices} />
          <OneNotice
            notices={notices}
            of="reminders"
            title={text('endings')}
            label={text('endingNotices')}
            help={text('endingNoticesHelp')}
          />
          <OneNotice
            notices={notices}
            of="requests"
            title={text('arrivals')}
            label={text('requestNotices')}
            help={text('requestNoticesHelp')}
          />
          <Muted>{text('alwaysSent')}</Muted>
        </>
      )}
    </Loaded>
  );
}

const topics = ['account'] as const;

function Receipts({ notices }: { notices: NoticesBody }) {
  const text = useText('account');
  const inputOf = (receipts: NoticesBody['receipts']) => ({ body: { receipts } });
  const setting = useSetting({ value: notices.receipts, call: 'changeNotices', topics, inputOf });
  return (
    <SettingCard title={text('receipts')} setting={setting}>
      <RadioGroup
        label={text('receipts')}
        isLabelHidden
        value={setting.shown}
        onChange={setting.choose}
        choices={[
          { value: 'at_once', label: text('receiptsAtOnce'), help: text('receiptsAtOnceHelp') },
          { value: 'hourly', label: text('receiptsHourly'), help: text('receiptsHourlyHelp') },
          { value: 'daily', label: text('receiptsDaily'), help: text('receiptsDailyHelp') },
          { value: 'off', label: text('receiptsOff'), help: text('receiptsOffHelp') },
        ]}
      />
    </SettingCard>
  );
}

interface OneProps {
  notices: NoticesBody;
  of: 'reminders' | 'requests';
  title: string;
  label: string;
  help: string;
}

function OneNotice({ notices, of, title, label, help }: OneProps) {
  const inputOf = (isOn: boolean) => ({ body: { [of]: isOn } });
  const setting = useSetting({ value: notices[of], call: 'changeNotices', topics, inputOf });
  return (
    <SettingCard title={title} setting={setting}>
      <Switch label={label} help={help} checked={setting.shown} onChange={setting.choose} />
    </SettingCard>
  );
}
