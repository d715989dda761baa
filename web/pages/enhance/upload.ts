// Uploads files as soon as they are added, then sends the form with their ids.
import { startUploads } from './upload-page.ts';

const area = document.querySelector<HTMLElement>('[data-upload]');
const form = area?.closest('form');
if (area && form) startUploads(area, form);
