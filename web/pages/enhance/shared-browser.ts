// Runs on pages without a session.
import { clearWithoutSession } from '../../uploads/shared-browser.ts';

void clearWithoutSession();
// A page from the back/forward cache does not run its scripts again.
addEventListener('pageshow', (event) => {
  if (event.persisted) void clearWithoutSession();
});
