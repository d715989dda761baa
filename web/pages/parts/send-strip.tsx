import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { CardStrip } from './card.tsx';
import { useText } from './frame.tsx';
import { Icon } from './icon.tsx';

interface SendStripProps {
  label: ReactNode;
  smallPrint: ReactNode;
}

export function SendStrip({ label, smallPrint }: SendStripProps): ReactNode {
  const say = useText();
  return (
    <CardStrip>
      <div data-send="">
        <Button icon="upload">
          <span>{label}</span>
        </Button>
      </div>
      <div className="pending-send" data-pending="" hidden>
        <p className="line">
          <Icon name="clock" />
          <span data-pending-text="" />
        </p>
        <button type="button" className="button button-secondary" data-act="unsend">
          {say('upload.unsend')}
        </button>
      </div>
      <p className="help">{smallPrint}</p>
    </CardStrip>
  );
}
