// The one script of request and drop pages: files travel as soon as they are added, with pauses, resuming and words for
// everything. Takes over the form that works without it, and ends by sending that form with the ids of the files.
import { startUploads } from './upload-page.ts';

const area = document.querySelector<HTMLElement>('[data-upload]');
const form = area?.closest('form');
if (area && form) startUploads(area, form);
