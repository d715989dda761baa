// The only live regions of the document, one polite and one assertive, and the two functions that speak through them.
import { useSyncExternalStore } from 'react';
import { createStore } from '../store.ts';

const current = createStore({ polite: '', urgent: '' });

/** Says a sentence politely: state changes, counts, "Saved.". */
export function announce(sentence: string): void {
  current.change((now) => ({ ...now, polite: different(now.polite, sentence) }));
}

/** Interrupts: only for something refused or lost, and before a session ends. */
export function warn(sentence: string): void {
  current.change((now) => ({ ...now, urgent: different(now.urgent, sentence) }));
}

/** A repeated sentence is only said again when the text has changed in between. */
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
