import type { Refusal } from '../../transfer/rules.ts';
import type { UploadTexts } from './upload-texts.ts';

export function refusalText(refusal: Refusal, { say, size, list }: UploadTexts): string {
  switch (refusal.is) {
    case 'empty':
      return say('upload.empty');
    case 'duplicate':
      return say('upload.duplicate');
    case 'type-blocked':
      return say('upload.typeBlocked', { type: `.${refusal.extension}` });
    case 'type-not-permitted':
      return say('upload.typeNotPermitted', { types: list(refusal.permitted.map((extension) => `.${extension}`)) });
    case 'too-many':
      return say('upload.tooMany', { n: refusal.maxFiles });
    case 'too-much':
      return say('upload.tooMuch', { size: size(refusal.totalBytes), limit: size(refusal.maxTotalBytes) });
  }
}
