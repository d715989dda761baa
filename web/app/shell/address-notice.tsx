// Nothing can be sent while the account's address is unconfirmed.
import { useMe } from '../me.ts';
import { useText } from '../texts.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Notice } from '../ui/states.tsx';
import classes from './shell.module.css';

export function AddressNotice() {
  const text = useText('shell');
  const { email, addresses } = useMe();
  if (!addresses.unconfirmed.includes(email)) return null;
  const action = (
    <ButtonLink to="/account/$section" params={{ section: 'addresses' }}>
      {text('confirmAddress')}
    </ButtonLink>
  );
  return (
    <aside className={classes.strip}>
      <Notice tone="warning" action={action}>
        {text('addressUnconfirmed', { address: email })}
      </Notice>
    </aside>
  );
}
