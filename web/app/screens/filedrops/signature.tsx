// A mail signature with a link, as text and HTML.

import { useState } from 'react';
import type { AppDropBody } from '#contract/app/filedrops.ts';
import { useText } from '../../texts.ts';
import { Card } from '../../ui/card.tsx';
import { RadioGroup } from '../../ui/choice.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Muted, Stack } from '../../ui/layout.tsx';

export function DropSignature({ drop }: { drop: AppDropBody }) {
  const text = useText('filedrops');
  const [kind, setKind] = useState<'random' | 'email'>('random');
  const hasBoth = drop.random_url !== '' && drop.email_url !== '';
  const address = hasBoth ? (kind === 'random' ? drop.random_url : drop.email_url) : drop.random_url || drop.email_url;
  return (
    <Card title={text('signature')}>
      <Stack>
        <Muted>{text('signatureHelp')}</Muted>
        {hasBoth ? (
          <RadioGroup
            label={text('signatureWhich')}
            choices={[
              { value: 'random', label: text('randomTitle') },
              { value: 'email', label: text('emailTitle') },
            ]}
            value={kind}
            onChange={setKind}
          />
        ) : null}
        <CopyField
          label={text('signatureText')}
          value={text('signatureLine', { address })}
          announcement={text('signatureCopied')}
        />
        <CopyField
          label={text('signatureHtml')}
          value={`<a href="${escaped(address)}">${escaped(text('signatureLink'))}</a>`}
          announcement={text('signatureCopied')}
        />
      </Stack>
    </Card>
  );
}

/** Shown as text here; becomes markup where it is pasted. */
function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
