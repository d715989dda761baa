// The URL has the shown webhook (`?webhook=…`).
import { useApi } from '../../../api.ts';
import { useMe } from '../../../me.ts';
import { useSearchParams } from '../../../search-params.ts';
import { useText } from '../../../texts.ts';
import { Stack } from '../../../ui/layout.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { systemAdministrators } from '../../roles.ts';
import { NewWebhook } from './new-webhook.tsx';
import { Streams } from './streams.tsx';
import { WebhookDetail } from './webhook-detail.tsx';
import { WebhookList } from './webhook-list.tsx';

export default function WebhooksScreen() {
  const text = useText('admin/webhooks');
  const mayChange = systemAdministrators.includes(useMe().role);
  const { params, change } = useSearchParams();
  const query = useApi('listWebhooks', {}, { everyMs: 30_000 });
  return (
    <ConsoleScreen title={text('title')} lead={text('lead')} changers={systemAdministrators}>
      <Loaded query={query}>
        {({ webhooks, kinds }) => {
          const shown = webhooks.find(({ id }) => id === params.webhook);
          if (shown !== undefined)
            return (
              <WebhookDetail
                key={shown.id}
                webhook={shown}
                kinds={kinds}
                mayChange={mayChange}
                onClose={() => change({ webhook: undefined })}
              />
            );
          return (
            <Stack gap={24}>
              <WebhookList webhooks={webhooks} />
              <NewWebhook allKinds={kinds} />
              <Streams />
            </Stack>
          );
        }}
      </Loaded>
    </ConsoleScreen>
  );
}
