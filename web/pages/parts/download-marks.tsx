// Shown by the script next to a clicked Download button.
import type { ReactNode } from 'react';
import { useText } from './frame.tsx';
import { Icon } from './icon.tsx';

export function DownloadMarks(): ReactNode {
  const say = useText();
  return (
    <template data-download-marks="">
      <Started />
      <span className="file-state" data-mark="hint">
        {say('part.notStarted')}
      </span>
    </template>
  );
}

/** The server renders it during a download. */
export function Started(): ReactNode {
  const say = useText();
  return (
    <span className="file-state" data-mark="started">
      <Icon name="download" /> {say('part.started')}
    </span>
  );
}
