import type { CallAnswer } from '#contract/client.ts';
import { useText } from '../../../texts.ts';
import { Card } from '../../../ui/card.tsx';
import { Muted, Row, Stack } from '../../../ui/layout.tsx';

type Branding = CallAnswer<'getBranding'>['branding'];

export function Tones({ branding }: { branding: Branding }) {
  const text = useText('admin/branding');
  const { light, dark } = branding.tones;
  return (
    <Card title={text('tones')}>
      <Stack gap={12}>
        <p>
          {text(branding.colour === null ? 'tonesDefault' : branding.is_tone_changed ? 'tonesChanged' : 'tonesSame')}
        </p>
        <Sample label={text('light')} ground="#ffffff" tone={light.primary} ink={light.on_primary} />
        <Sample label={text('dark')} ground="#14181d" tone={dark.primary} ink={dark.on_primary} />
      </Stack>
    </Card>
  );
}

interface SampleProps {
  label: string;
  ground: string;
  tone: string;
  ink: string;
}

function Sample({ label, ground, tone, ink }: SampleProps) {
  return (
    <Row>
      <svg width="160" height="56" viewBox="0 0 160 56" aria-hidden="true">
        <rect width="160" height="56" rx="8" fill={ground} />
        <rect x="16" y="10" width="128" height="36" rx="6" fill={tone} />
        <rect x="48" y="25" width="64" height="6" rx="3" fill={ink} />
      </svg>
      <Stack gap={2}>
        <span>{label}</span>
        <Muted as="span">{tone}</Muted>
      </Stack>
    </Row>
  );
}
