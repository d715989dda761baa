// Renders nothing for users without a limit.
import { useApi } from '../api.ts';
import { useFormats } from '../formats.ts';
import { useText } from '../texts.ts';
import { Progress } from '../ui/progress.tsx';

export function StorageMeter() {
  const text = useText('ui');
  const formats = useFormats();
  const { data } = useApi('getStorage', {});
  if (data === undefined || data.storage.quota === null) return null;
  const { used, quota } = data.storage;
  const usage = text('storageUsed', { used: formats.size(used), quota: formats.size(quota) });
  return <Progress share={quota === 0 ? 1 : Math.min(1, used / quota)} label={text('storage')} text={usage} />;
}
