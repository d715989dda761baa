// On pages without a session, removes what the last session stored in a shared browser.
import { clearWithoutSession } from '../../uploads/shared-browser.ts';

void clearWithoutSession();
// A page from the back/forward cache does not run its scripts again.
addEventListener('pageshow', (event) => {
  if (event.persisted) void clearWithoutSession();
});
