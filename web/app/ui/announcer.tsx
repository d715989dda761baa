// The live regions of the document, one polite and one assertive, and the functions that write to them.
import { useSyncExternalStore } from 'react';
import { createStore } from '../store.ts';

const current = createStore({ polite: '', urgent: '' });

/** Announces politely: state changes, counts, "Saved.". */
export function announce(sentence: string): void {
  current.change((now) => ({ ...now, polite: different(now.polite, sentence) }));
}

/** Interrupts: only for refusals and losses, and before a session ends. */
export function warn(sentence: string): void {
  current.change((now) => ({ ...now, urgent: different(now.urgent, sentence) }));
}

/** Screen readers announce a repeated sentence only if the text differs. */
function different(before: string, sentence: string): string {
  return before === sentence ? `${sentence}\u00a0` : sentence;
}

export function Announcer() {
  const { polite, urgent } = useSyncExternalStore(current.listen, current.read);
  return (
    <>
      <div id="announcer" role="status" aria-live="polite" className="visually-hidden">
        {polite}
      </div>
      <div id="announcer-urgent" role="alert" aria-live="assertive" className="visually-hidden">
        {urgent}
      </div>
    </>
  );
}
