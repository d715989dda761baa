import type { Text } from '../texts.ts';
import type { MissingFile } from './engine.ts';
import { transfers } from './transfers.ts';

export function chooseAgainText({ why, sentBytes, sizeBytes }: MissingFile, text: Text<'upload'>): string {
  // Nothing uploaded before can be used.
  if (why === 'changed') return text('upload.againChanged');
  const percent = transfers().texts.percent(sentBytes, sizeBytes);
  const what = sentBytes === 0 ? text('upload.againNew') : text('upload.againAt', { percent });
  if (why === 'unknown') return what;
  return `${text(why === 'denied' ? 'upload.againDenied' : 'upload.againGone')} ${what}`;
}
