// QR codes for terminals, drawn with half blocks.
import { encode } from 'uqr';

const quietModules = 4;

/**
 * Two rows in one line of text; light is drawn, so that it reads on a dark terminal, and with colours on any. Null when
 * the text is too long.
 */
export function qrPicture(text: string, hasColour: boolean): string[] | null {
  const matrix = matrixOf(text);
  if (matrix === null) return null;
  const isLight = (x: number, y: number) => matrix[y]?.[x] !== true;
  const lines: string[] = [];
  for (let y = 0; y < matrix.length; y += 2) {
    let line = '';
    for (let x = 0; x < matrix.length; x += 1)
      line += [' ', '▄', '▀', '█'][(isLight(x, y) ? 2 : 0) + (isLight(x, y + 1) ? 1 : 0)];
    lines.push(hasColour ? `\u001b[97;40m${line}\u001b[0m` : line);
  }
  return lines;
}

function matrixOf(text: string): boolean[][] | null {
  try {
    return encode(text, { ecc: 'M', border: quietModules }).data;
  } catch {
    return null;
  }
}
