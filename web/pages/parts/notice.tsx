// Icon and text carry the tone; colour is additional.
import type { ReactNode } from 'react';
import { useText } from './frame.tsx';
import { Icon, type IconName } from './icon.tsx';

export type Tone = 'info' | 'success' | 'warning' | 'danger';

const icons: Record<Tone, IconName> = { info: 'info', success: 'check', warning: 'warning', danger: 'alert' };

interface NoticeProps {
  tone: Tone;
  title?: string;
  requestId?: string | null;
  children?: ReactNode;
}

export function Notice({ tone, title, requestId = null, children }: NoticeProps): ReactNode {
  return (
    <section className={`notice notice-${tone}`} role={tone === 'danger' ? 'alert' : undefined} aria-label={title}>
      <Icon name={icons[tone]} />
      <div>
        {title !== undefined && <h2>{title}</h2>}
        {children}
        {requestId !== null && <RequestId id={requestId} />}
      </div>
    </section>
  );
}

export function RequestId({ id }: { id: string }): ReactNode {
  const say = useText();
  return <p className="request-id">{say('part.requestId', { id })}</p>;
}
