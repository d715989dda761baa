// The script uses the same texts.
import { refusalOf } from '../../../transfer/rules.ts';
import { refusalText } from '../../uploads/refusal-text.ts';
import { createUploadTexts } from '../../uploads/upload-texts.ts';
import { visibleText } from '../../visible.ts';
import type { FileProblem, UploadLimits } from '../delivery-props.ts';
import { pageTexts, type TextKey } from '../text.ts';

export function fileProblemText({ file, reason }: FileProblem, limits: UploadLimits, locale: string): string {
  const texts = createUploadTexts<TextKey>(locale, (key, values) => pageTexts.text(locale, key, values));
  const sizeBytes = reason === 'empty' ? 0 : 1;
  const refusal = refusalOf({ name: file, sizeBytes, modifiedAt: null }, [], { ...limits, maxTotalBytes: null });
  const why = refusal === null ? texts.say('upload.refusedPlain') : refusalText(refusal, texts);
  return texts.say('upload.notAdded', { file: visibleText(file), reason: why });
}
