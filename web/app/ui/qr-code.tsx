import { Share2 } from 'lucide-react';
import { useMemo } from 'react';
import { encode } from 'uqr';
import { useText } from '../texts.ts';
import { Button } from './button.tsx';
import { Muted, Stack } from './layout.tsx';
import classes from './qr-code.module.css';

interface Props {
  address: string;
  /** Its purpose, if hearing the URL is not useful. */
  label?: string;
}

export function QrCode({ address, label }: Props) {
  const text = useText('ui');
  const { path, size } = useMemo(() => draw(address), [address]);
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      className={classes.code}
      role="img"
      aria-label={label ?? text('qrCode', { address })}
    >
      <path d={path} />
    </svg>
  );
}

function draw(address: string): { path: string; size: number } {
  const { data, size } = encode(address, { border: 2, ecc: 'M' });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return { path, size };
}

/** QR code, and the system's share dialog if supported. */
export function ShareCode({ address, title }: { address: string; title: string }) {
  const text = useText('ui');
  // Rejects when the dialog is closed.
  const share = () => void navigator.share({ title, url: address }).catch(() => {});
  return (
    <div className={classes.share}>
      <QrCode address={address} />
      <Stack gap={12}>
        <Muted>{text('scan')}</Muted>
        {typeof navigator.share === 'function' ? (
          <div>
            <Button size="small" icon={Share2} onClick={share}>
              {text('share')}
            </Button>
          </div>
        ) : null}
      </Stack>
    </div>
  );
}
