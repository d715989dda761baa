import { ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';
import { useText } from '../../texts.ts';
import { ButtonAnchor } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Row, Stack } from '../../ui/layout.tsx';
import { ShareCode } from '../../ui/qr-code.tsx';

interface Props {
  title: string;
  help: string;
  address: string;
  /** A closed page has no preview. */
  isOpen: boolean;
  actions?: ReactNode;
}

export function DropAddress({ title, help, address, isOpen, actions }: Props) {
  const text = useText('filedrops');
  return (
    <Card title={title}>
      <Stack>
        <CopyField label={text('address')} help={help} value={address} announcement={text('copied')} />
        <ShareCode address={address} title={text('signatureLink')} />
        <Row>
          {isOpen ? (
            <ButtonAnchor href={address} target="_blank" rel="noopener" size="small" icon={ExternalLink}>
              {text('preview')}
            </ButtonAnchor>
          ) : null}
          {actions}
        </Row>
      </Stack>
    </Card>
  );
}
