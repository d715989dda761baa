// `?new=1` opens a drawer to add a person.
import { Plus, Upload, Users } from 'lucide-react';
import { useState } from 'react';
import { Screen } from '../../../parts/screen.tsx';
import { useSearchParams } from '../../../search-params.ts';
import { useText } from '../../../texts.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { EmptyState, Notice } from '../../../ui/states.tsx';
import { NewPerson } from './new-person.tsx';
import { UsersTable } from './table.tsx';

export default function UsersScreen() {
  const text = useText('admin/users');
  const { params, change } = useSearchParams();
  const [added, setAdded] = useState<string | null>(null);
  const open = () => change({ new: '1' }, { isNewEntry: true });
  const close = () => change({ new: undefined });
  return (
    <Screen
      title={text('title')}
      lead={text('lead')}
      actions={
        <>
          <ButtonLink to="/admin/people/import" icon={Upload}>
            {text('import')}
          </ButtonLink>
          <Button variant="primary" icon={Plus} onClick={open}>
            {text('add')}
          </Button>
        </>
      }
    >
      {added === null ? null : (
        <Notice tone="success" onDismiss={() => setAdded(null)}>
          {added}
        </Notice>
      )}
      <UsersTable
        empty={
          <EmptyState icon={Users} action={<Button onClick={open}>{text('add')}</Button>}>
            {text('empty')}
          </EmptyState>
        }
      />
      {params.new === undefined ? null : (
        <NewPerson
          onClose={close}
          onAdded={(sentence) => {
            setAdded(sentence);
            close();
          }}
        />
      )}
    </Screen>
  );
}
