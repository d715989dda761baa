// Why a file was not taken, in the words the script uses for the same rule.
import { refusalOf } from '../../../transfer/rules.ts';
import { refusalText } from '../../uploads/refusal-text.ts';
import { wordsWith } from '../../uploads/words.ts';
import { visibleText } from '../../visible.ts';
import type { FileProblem, UploadLimits } from '../delivery-props.ts';
import { pageTexts, type TextKey } from '../text.ts';

export function fileProblemText({ file, reason }: FileProblem, limits: UploadLimits, locale: string): string {
  const words = wordsWith<TextKey>(locale, (key, values) => pageTexts.text(locale, key, values));
  const sizeBytes = reason === 'empty' ? 0 : 1;
  const refusal = refusalOf({ name: file, sizeBytes, modifiedAt: null }, [], { ...limits, maxTotalBytes: null });
  const why = refusal === null ? words.say('upload.refusedPlain') : refusalText(refusal, words);
  return words.say('upload.notAdded', { file: visibleText(file), reason: why });
}
