// Simple PDF documents with an embedded file.

import type PDFDocument from 'pdfkit';
import { markHidden } from '#contract/hidden-characters.ts';
import { shipped } from './program-files.ts';

export type PdfBlock =
  | { is: 'heading' | 'text' | 'small'; text: string }
  | { is: 'pairs'; rows: [label: string, value: string][] }
  | { is: 'table'; columns: PdfColumn[]; rows: string[][] };

export interface PdfColumn {
  label: string;
  /** Relative column width. */
  share: number;
  isNumber?: true;
}

export interface PdfContent {
  title: string;
  author: string;
  language: string;
  madeAt: Date;
  blocks: PdfBlock[];
  footer(page: number, pages: number): string;
  file: { name: string; text: string; description: string };
}

// DejaVu: Latin, Greek, Cyrillic, Arabic, Hebrew, Armenian, Georgian. Its licence permits embedding.
const fontOf = (name: string) => shipped.read(`node_modules/dejavu-fonts-ttf/ttf/${name}.ttf`);
const margin = 50;
const footerHeight = 30;
const box = '\u25a1';

type Doc = InstanceType<typeof PDFDocument>;

export async function renderPdf(content: PdfContent): Promise<Buffer> {
  // Loaded on demand: it takes 11 MB, and few processes need it.
  const { default: PDFDocument } = await import('pdfkit');
  const regular = fontOf('DejaVuSans');
  const doc = new PDFDocument({
    size: 'A4',
    margins: { top: margin, left: margin, right: margin, bottom: margin + footerHeight },
    bufferPages: true,
    lang: content.language,
    displayTitle: true,
    pdfVersion: '1.7',
    info: { Title: markHidden(content.title), Author: markHidden(content.author), CreationDate: content.madeAt },
    font: regular as unknown as string, // its types know paths alone
  });
  const chunks: Buffer[] = [];
  const done = new Promise<void>((resolve, reject) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk));
    doc.once('end', resolve);
    doc.once('error', reject);
  });
  doc.registerFont('regular', regular);
  doc.registerFont('bold', fontOf('DejaVuSans-Bold'));
  doc.font('bold').fontSize(18).text(drawable(doc, content.title)).moveDown(0.5);
  for (const block of content.blocks) draw(doc, block);
  doc.file(Buffer.from(content.file.text), {
    name: content.file.name,
    type: 'application/json',
    description: content.file.description,
    creationDate: content.madeAt,
    modifiedDate: content.madeAt,
  });
  drawFooters(doc, content);
  doc.end();
  await done;
  return Buffer.concat(chunks);
}

function draw(doc: Doc, block: PdfBlock): void {
  if (block.is === 'pairs') drawPairs(doc, block.rows);
  else if (block.is === 'table') drawTable(doc, block);
  else drawText(doc, block);
}

function drawText(doc: Doc, block: Extract<PdfBlock, { text: string }>): void {
  if (block.is === 'heading') {
    keepTogether(doc, 60);
    doc.moveDown(0.8).font('bold').fontSize(12).text(drawable(doc, block.text), margin).moveDown(0.3);
    return;
  }
  doc.font('regular').fontSize(block.is === 'small' ? 7.5 : 9.5);
  doc.text(drawable(doc, block.text), margin, doc.y, { width: widthOf(doc) }).moveDown(0.4);
}

const labelWidth = 130;
const gap = 8;

function drawPairs(doc: Doc, rows: [string, string][]): void {
  const width = widthOf(doc) - labelWidth - gap;
  for (const [label, value] of rows) {
    doc.fontSize(9.5);
    const text = drawable(doc.font('regular'), value);
    const name = drawable(doc.font('bold'), label);
    const height = Math.max(
      doc.heightOfString(name, { width: labelWidth }),
      doc.font('regular').heightOfString(text, { width }),
    );
    keepTogether(doc, Math.min(height, 200));
    const { y } = doc;
    doc.font('bold').text(name, margin, y, { width: labelWidth });
    const afterLabel = doc.y;
    doc.font('regular').text(text, margin + labelWidth + gap, y, { width });
    doc.y = Math.max(afterLabel, doc.y) + 3;
  }
  doc.x = margin;
}

function drawTable(doc: Doc, { columns, rows }: Extract<PdfBlock, { is: 'table' }>): void {
  doc.y += 4;
  const all = columns.reduce((sum, { share }) => sum + share, 0);
  const widths = columns.map(({ share }) => (widthOf(doc) * share) / all - gap);
  const labels = columns.map(({ label }) => label);
  const line = (cells: string[], font: 'regular' | 'bold') => {
    doc.font(font).fontSize(7.5);
    const texts = cells.map((cell) => drawable(doc, cell));
    const height = Math.max(...texts.map((text, index) => doc.heightOfString(text, { width: widths[index]! })));
    if (doc.y + height > bottomOf(doc)) {
      doc.addPage();
      // Every page repeats the column names.
      if (font === 'regular') line(labels, 'bold');
      doc.font(font).fontSize(7.5);
    }
    const { y } = doc;
    let x = margin;
    for (const [index, text] of texts.entries()) {
      const align = columns[index]!.isNumber ? 'right' : 'left';
      doc.text(text, x, y, { width: widths[index]!, height: height + 1, align });
      x += widths[index]! + gap;
    }
    drawRule(doc, y + height + 1.5, font === 'bold' ? 0.8 : 0.25);
    doc.y = y + height + 4;
    doc.x = margin;
  };
  line(labels, 'bold');
  for (const row of rows) line(row, 'regular');
}

function drawRule(doc: Doc, y: number, thickness: number): void {
  const end = margin + widthOf(doc);
  doc.save().lineWidth(thickness).strokeColor('#888888').moveTo(margin, y).lineTo(end, y).stroke().restore();
}

function drawFooters(doc: Doc, { footer }: PdfContent): void {
  const { start, count } = doc.bufferedPageRange();
  for (let page = 0; page < count; page++) {
    doc.switchToPage(start + page);
    // Writing below the bottom margin would begin another page.
    doc.page.margins.bottom = 0;
    doc.font('regular').fontSize(7.5);
    doc.text(drawable(doc, footer(page + 1, count)), margin, doc.page.height - margin, {
      width: widthOf(doc),
      lineBreak: false,
    });
  }
}

function keepTogether(doc: Doc, height: number): void {
  if (doc.y + height > bottomOf(doc)) doc.addPage();
}

function widthOf(doc: Doc): number {
  return doc.page.width - 2 * margin;
}

function bottomOf(doc: Doc): number {
  return doc.page.height - margin - footerHeight;
}

/** Line breaks become spaces; characters that the font lacks or hides become marks. */
function drawable(doc: Doc, text: string): string {
  const { font } = (doc as unknown as { _font: { font: { hasGlyphForCodePoint(code: number): boolean } } })._font;
  let drawn = '';
  for (const letter of markHidden(text.replace(/\p{Cc}+/gu, ' ')))
    drawn += font.hasGlyphForCodePoint(letter.codePointAt(0)!) ? letter : box;
  return drawn;
}
