// The script of request and drop pages: files are uploaded as soon as they are added, with pause and resume. Replaces
// the plain form and finally sends it with the ids of the files.
import { startUploads } from './upload-page.ts';

const area = document.querySelector<HTMLElement>('[data-upload]');
const form = area?.closest('form');
if (area && form) startUploads(area, form);
