import { type FormEvent, useState } from 'react';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { TextField } from '../../../ui/field.tsx';
import { ProblemNotice } from '../../../ui/states.tsx';
import classes from './groups.module.css';

const rules = { account: 'whichAccount', domain: 'whichDomain', default: 'whichDefault' } as const;

export function GroupOfAddress() {
  const text = useText('admin/groups');
  const [typed, setTyped] = useState('');
  const [email, setEmail] = useState('');
  const query = useApi('whichGroup', { query: { email } }, { isEnabled: email !== '' });
  const search = (event: FormEvent) => {
    event.preventDefault();
    setEmail(typed.trim());
  };
  const which = query.data?.which;
  return (
    <Card title={text('whichTitle')}>
      <form className={classes.search} onSubmit={search} noValidate>
        <TextField label={text('whichLabel')} type="email" value={typed} onChange={setTyped} />
        <Button type="submit">{text('whichGo')}</Button>
      </form>
      <div role="status">
        {email === '' || which === undefined ? null : (
          <p>{text(rules[which.rule], { group: visibleText(which.group.name) })}</p>
        )}
      </div>
      {email === '' ? null : <ProblemNotice error={query.error} />}
    </Card>
  );
}
