import { useState } from 'react';
import type { PersonDetailBody } from '#contract/admin/user-actions.ts';
import { visibleText } from '../../../../visible.ts';
import { useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Muted, Stack } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { ProblemNotice } from '../../../ui/states.tsx';

export function Sessions({ person }: { person: PersonDetailBody }) {
  const text = useText('admin/users');
  const formats = useFormats();
  const end = useApiChange('endPersonSession', ['admin']);
  const { sessions } = person;
  const nameOf = ({ browser, os }: (typeof sessions)[number]) =>
    browser === '' && os === ''
      ? text('deviceUnknown')
      : browser === '' || os === ''
        ? browser + os
        : text('device', { browser, system: os });
  if (sessions.length === 0)
    return (
      <Card title={text('sessions')}>
        <Muted>{text('noSessions')}</Muted>
      </Card>
    );
  return (
    <Card title={text('sessions')} actions={<EndAll person={person} />}>
      <Stack gap={8}>
        <PlainTable
          caption={text('sessionTable', { name: visibleText(person.name === '' ? person.email : person.name) })}
          isCaptionHidden
          headers={[text('deviceHeader'), text('address'), text('lastSeen'), text('actions')]}
          rows={sessions.map((session) => ({
            id: session.id,
            cells: [
              nameOf(session),
              session.remote_ip,
              formats.dateTime(session.active_at),
              session.is_current ? (
                text('thisSession')
              ) : (
                <Button
                  key="end"
                  size="small"
                  aria-label={text('endSessionOf', { device: nameOf(session) })}
                  isBusy={end.isPending && end.variables.params?.session === session.id}
                  onClick={() =>
                    end.mutate(
                      { params: { id: person.id, session: session.id } },
                      { onSuccess: () => announce(text('sessionEnded')) },
                    )
                  }
                >
                  {text('endSession')}
                </Button>
              ),
            ],
          }))}
        />
        <ProblemNotice error={end.error} />
      </Stack>
    </Card>
  );
}

function EndAll({ person }: { person: PersonDetailBody }) {
  const text = useText('admin/users');
  const [isOpen, setOpen] = useState(false);
  const change = useApiChange('endPersonSessions', ['admin']);
  const close = () => setOpen(false);
  const onSuccess = () => {
    close();
    announce(text('sessionsEnded'));
  };
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {text('endSessions')}
      </Button>
      {isOpen ? (
        <ConfirmDialog
          isDanger
          title={text('endSessionsTitle', { name: person.name === '' ? person.email : person.name })}
          confirmLabel={text('endSessions')}
          cancelLabel={text('keepSessions')}
          change={change}
          onConfirm={() => change.mutate({ params: { id: person.id } }, { onSuccess })}
          onClose={close}
        >
          {text('endSessionsText')}
        </ConfirmDialog>
      ) : null}
    </>
  );
}
