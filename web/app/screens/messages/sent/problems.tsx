// Refused mails with what helps, above everything else.
import type { TrackerProps } from './dialog-props.ts';
import { MailProblem } from './person-actions.tsx';
import { useSentFormats } from './sent-formats.ts';

/** The table has them all, first. */
const mostProblems = 3;

export function SentProblems({ message, openDialog }: Omit<TrackerProps, 'notify'>) {
  const formats = useSentFormats();
  return message.people
    .filter(({ state }) => state === 'problem')
    .slice(0, mostProblems)
    .map((person) => (
      <MailProblem
        key={person.address}
        person={person}
        message={message}
        openDialog={openDialog}
        names={formats.names([person.address])}
      />
    ));
}
