import { useText } from '../../../texts.ts';
import { Stack } from '../../../ui/layout.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { systemAdministrators } from '../../roles.ts';
import { NewWebhook } from './new-webhook.tsx';
import { Streams } from './streams.tsx';
import { WebhookList } from './webhook-list.tsx';

export default function WebhooksScreen() {
  const text = useText('admin/webhooks');
  return (
    <ConsoleScreen title={text('title')} lead={text('lead')} changers={systemAdministrators}>
      <Stack gap={24}>
        <WebhookList />
        <NewWebhook />
        <Streams />
      </Stack>
    </ConsoleScreen>
  );
}
