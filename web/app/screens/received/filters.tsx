// What narrows the list of what came: words, state, kind. All of it lives in the address.
import { Search, X } from 'lucide-react';
import { type FormEvent, useRef } from 'react';
import { visibleText } from '../../../visible.ts';
import type { List } from '../../list.ts';
import { useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/choice.tsx';
import { TextField } from '../../ui/field.tsx';
import { Segments } from '../../ui/segments.tsx';
import classes from './received.module.css';

export function ReceivedFilters({ list }: { list: List }) {
  const text = useText('received');
  const input = useRef<HTMLInputElement>(null);
  const find = (event: FormEvent) => {
    event.preventDefault();
    list.filter({ q: input.current?.value.trim() });
  };
  const { q = '', state = 'all', kind = 'all', person } = list.filters;
  return (
    <div className={classes.filters}>
      <form onSubmit={find} className={classes.find}>
        <TextField
          key={q}
          ref={input}
          type="search"
          label={text('searchLabel')}
          placeholder={text('searchHint')}
          defaultValue={q}
          autoComplete="off"
          action={
            <Button type="submit" icon={Search}>
              {text('find')}
            </Button>
          }
        />
      </form>
      <div className={classes.kinds}>
        <Select
          label={text('kindLabel')}
          value={kind}
          onChange={(value) => list.filter({ kind: value === 'all' ? undefined : value })}
          choices={[
            { value: 'all', label: text('kindAll') },
            { value: 'message', label: text('kindMessage') },
            { value: 'request', label: text('kindRequest') },
            { value: 'drop', label: text('kindDrop') },
          ]}
        />
      </div>
      <Segments
        label={text('state')}
        value={state}
        onChange={(value) => list.filter({ state: value === 'all' ? undefined : value })}
        choices={[
          { value: 'all', label: text('stateAll') },
          { value: 'new', label: text('stateNew') },
          { value: 'downloaded', label: text('stateDownloaded') },
          { value: 'expired', label: text('stateExpired') },
        ]}
      />
      {person === undefined ? null : (
        <Button size="small" icon={X} onClick={() => list.filter({ person: undefined })}>
          {text('fromPerson', { person: visibleText(person) })}
        </Button>
      )}
    </div>
  );
}
