// Browsers in which the password is enough.
import type { CallAnswer } from '#contract/client.ts';
import { useApi, useApiChange } from '../../api.ts';
import { useFormats } from '../../formats.ts';
import { useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ProblemNotice } from '../../ui/states.tsx';
import classes from './account.module.css';

type Browser = CallAnswer<'listRememberedBrowsers'>['browsers'][number];

/** Nothing without such a browser. */
export function RememberedBrowsers() {
  const text = useText('account');
  const { data } = useApi('listRememberedBrowsers', {});
  const forget = useApiChange('forgetBrowser', ['account']);
  const browsers = data?.browsers ?? [];
  if (browsers.length === 0) return null;
  return (
    <Card title={text('remembered')} isFlush>
      <ul>
        {browsers.map((browser) => (
          <Row key={browser.id} browser={browser} onForget={() => forget.mutate({ params: { id: browser.id } })} />
        ))}
      </ul>
      {forget.error === null ? null : (
        <div className={classes.inset}>
          <ProblemNotice error={forget.error} />
        </div>
      )}
    </Card>
  );
}

function Row({ browser: { browser, os, ...facts }, onForget }: { browser: Browser; onForget: () => void }) {
  const text = useText('account');
  const formats = useFormats();
  const name = browser === '' ? text('deviceUnknown') : text('device', { browser, system: os });
  return (
    <li className={classes.row}>
      <div className={classes.rowText}>
        <span className={classes.rowTitle}>{name}</span>
        <span className={classes.facts}>
          <span>{text('rememberedUntil', { date: formats.dateOf(facts.expires_at) })}</span>
          <span>{facts.remote_ip}</span>
        </span>
      </div>
      <Button size="small" onClick={onForget} aria-label={`${text('rememberedEnd')}: ${name}`}>
        {text('rememberedEnd')}
      </Button>
    </li>
  );
}
