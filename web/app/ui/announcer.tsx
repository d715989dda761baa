// The live regions of the document: one polite, one assertive.
import { useSyncExternalStore } from 'react';
import { createStore } from '../store.ts';

const current = createStore({ polite: '', urgent: '' });

/** Politely: state changes, counts, "Saved.". */
export function announce(sentence: string): void {
  current.change((now) => ({ ...now, polite: different(now.polite, sentence) }));
}

/** Interrupts: refusals, losses, the end of a session. */
export function warn(sentence: string): void {
  current.change((now) => ({ ...now, urgent: different(now.urgent, sentence) }));
}

/** Screen readers ignore a repetition of the same text. */
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
