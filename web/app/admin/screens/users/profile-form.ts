import type { PersonDetailBody } from '#contract/admin/user-actions.ts';
import { useApiChange } from '../../../api.ts';
import { useSaved } from '../../../ui/saved-mark.tsx';
import { problemAt } from '../../../ui/states.tsx';
import { useFormChanges } from '../../parts/form-changes.ts';

const shownAtFields = ['name', 'email', 'group', 'sender_aliases', 'recipient_aliases', 'reason'];

export interface Draft {
  name: string;
  email: string;
  group: string;
  senders: string;
  recipients: string;
  reason: string;
}

function draftOf(person: PersonDetailBody): Draft {
  const aliases = (is: 'is_sender' | 'is_recipient') =>
    person.addresses
      .filter((one) => !one.is_own && one[is])
      .map(({ address }) => address)
      .join('\n');
  return {
    name: person.name,
    email: person.email,
    group: person.group.id,
    senders: aliases('is_sender'),
    recipients: aliases('is_recipient'),
    reason: '',
  };
}

const linesOf = (text: string) =>
  text
    .split(/[\s,;]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

export function useProfile(person: PersonDetailBody) {
  const saved = useSaved();
  const { values: draft, changes, set, reset } = useFormChanges(draftOf(person));
  const change = useApiChange('changeUser', ['admin']);
  const differs = (field: keyof Draft) => changes[field] !== undefined;
  const changesAddresses = differs('email') || differs('senders') || differs('recipients');
  const problem = (field: string) => problemAt(change.error, field);
  return {
    draft,
    set: (field: keyof Draft) => (value: string) => set({ [field]: value }),
    undo: reset,
    changesAddresses,
    isChanged: changesAddresses || differs('name') || differs('group'),
    isSaved: saved.isShown,
    isBusy: change.isPending,
    problem,
    /** An error that no field shows. */
    error: shownAtFields.some((field) => problem(field) !== null) ? null : change.error,
    save() {
      const user = {
        ...(differs('name') ? { name: draft.name } : {}),
        ...(differs('email') ? { email: draft.email } : {}),
        ...(differs('group') ? { group: draft.group } : {}),
        ...(differs('senders') ? { sender_aliases: linesOf(draft.senders) } : {}),
        ...(differs('recipients') ? { recipient_aliases: linesOf(draft.recipients) } : {}),
        ...(changesAddresses && draft.reason.trim() !== '' ? { reason: draft.reason } : {}),
      };
      const onSuccess = () => {
        reset();
        saved.note();
      };
      change.mutate({ params: { id: person.id }, body: { user } }, { onSuccess });
    },
  };
}

export type ProfileForm = ReturnType<typeof useProfile>;
