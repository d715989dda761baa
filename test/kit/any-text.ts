// Any Unicode text, for fast-check.
import fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };
const mostCodePoints = 0x110000;

/** All code points but surrogates. `unit: 'binary'` of fast-check keeps a table of a million of them in memory. */
const character = fc.nat({ max: mostCodePoints - surrogates.count - 1 }).map(
  (index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count),
  (text) => {
    const codePoint = typeof text === 'string' ? text.codePointAt(0) : undefined;
    if (codePoint === undefined || String.fromCodePoint(codePoint) !== text || !text.isWellFormed())
      throw new Error('not one character');
    return codePoint < surrogates.first ? codePoint : codePoint - surrogates.count;
  },
);

export function anyText({ maxLength }: { maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ unit: character, ...(maxLength === undefined ? {} : { maxLength }) });
}
