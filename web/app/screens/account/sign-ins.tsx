import { useState } from 'react';
import { useApi } from '../../api.ts';
import { useFormats } from '../../formats.ts';
import { useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Muted, Stack } from '../../ui/layout.tsx';
import { Loaded } from '../../ui/states.tsx';

const shownAtFirst = 5;

export function SignIns() {
  const text = useText('account');
  const formats = useFormats();
  const [isWhole, setWhole] = useState(false);
  return (
    <Card title={text('signIns')}>
      <Loaded query={useApi('listSignIns', {})}>
        {({ sign_ins: all }) =>
          all.length === 0 ? (
            <Muted>{text('signInsNone')}</Muted>
          ) : (
            <Stack>
              <Muted>{text('signInsText')}</Muted>
              <Stack as="ul" gap={8}>
                {all.slice(0, isWhole ? all.length : shownAtFirst).map(({ at, way, remote_ip: ip }, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: two may have the same moment, and none ever moves
                  <li key={index}>
                    <span>{text(way === 'browser' ? 'signInBrowser' : 'signInApi')}</span>
                    <Muted as="span">{text('signInFacts', { at: formats.dateTime(at), ip })}</Muted>
                  </li>
                ))}
              </Stack>
              {isWhole || all.length <= shownAtFirst ? null : (
                <div>
                  <Button size="small" variant="quiet" onClick={() => setWhole(true)}>
                    {text('showAll', { n: all.length })}
                  </Button>
                </div>
              )}
            </Stack>
          )
        }
      </Loaded>
    </Card>
  );
}
