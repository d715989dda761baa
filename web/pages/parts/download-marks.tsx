// What the script puts beside a Download button after the press: that it has started, and what to do if it has not.
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

/** Also drawn by the server while bytes are on their way. */
export function Started(): ReactNode {
  const say = useText();
  return (
    <span className="file-state" data-mark="started">
      <Icon name="download" /> {say('part.started')}
    </span>
  );
}
