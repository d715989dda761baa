// The script of pages that are shown when nobody is signed in: on a browser marked as shared it removes what the last
// session left there.
import { clearWithoutSession } from '../../uploads/shared-browser.ts';

void clearWithoutSession();
// A page that the browser shows again as it was does not run its scripts again.
addEventListener('pageshow', (event) => {
  if (event.persisted) void clearWithoutSession();
});
