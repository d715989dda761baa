import { startUploads } from './upload-page.ts';

const area = document.querySelector<HTMLElement>('[data-upload]');
const form = area?.closest('form');
if (area && form) startUploads(area, form);
