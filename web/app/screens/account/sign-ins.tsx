// Account: when and from where somebody signed in as the person.
import { useState } from 'react';
import { shortMoment } from '../../../formats.ts';
import { useApi } from '../../api.ts';
import { useZone } from '../../me.ts';
import { useLocale, useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import classes from './account.module.css';

const shownAtFirst = 5;

export function SignIns() {
  const text = useText('account');
  const locale = useLocale();
  const zone = useZone();
  const [isWhole, setWhole] = useState(false);
  return (
    <Card title={text('signIns')}>
      <Loaded query={useApi('listSignIns', {})}>
        {({ sign_ins: all }) =>
          all.length === 0 ? (
            <p className={classes.muted}>{text('signInsNone')}</p>
          ) : (
            <div className={classes.form}>
              <p className={classes.muted}>{text('signInsText')}</p>
              <ul className={classes.plain}>
                {all.slice(0, isWhole ? all.length : shownAtFirst).map(({ at, way, remote_ip: ip }, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: two may have the same moment, and none ever moves
                  <li key={index} className={classes.facts}>
                    <span>{text(way === 'browser' ? 'signInBrowser' : 'signInApi')}</span>
                    <span className={classes.muted}>
                      {text('signInFacts', { at: shortMoment(locale, zone, at), ip })}
                    </span>
                  </li>
                ))}
              </ul>
              {isWhole || all.length <= shownAtFirst ? null : (
                <div className={classes.end}>
                  <Button size="small" variant="quiet" onClick={() => setWhole(true)}>
                    {text('showAll', { n: all.length })}
                  </Button>
                </div>
              )}
            </div>
          )
        }
      </Loaded>
    </Card>
  );
}
