// An address for a phone: its QR code, and the system's own way to share where the browser has one.
import { Share2 } from 'lucide-react';
import { useText } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { QrCode } from '../ui/qr-code.tsx';
import classes from './share-code.module.css';

export function ShareCode({ address, title }: { address: string; title: string }) {
  const text = useText('share');
  const canShare = typeof navigator.share === 'function';
  const share = () => {
    // Closed without a choice: nothing to say.
    navigator.share({ title, url: address }).catch(() => {});
  };
  return (
    <div className={classes.share}>
      <QrCode address={address} />
      <div className={classes.words}>
        <p>{text('scan')}</p>
        {canShare ? (
          <Button size="small" icon={Share2} onClick={share}>
            {text('share')}
          </Button>
        ) : null}
      </div>
    </div>
  );
}
