// The text of a document, by the ending of its name: PDF, Word, Excel and PowerPoint as Markdown, anything else as the text that it is. What
// a file may cost is bounded (work.ts), whoever made it.
import { excelText } from './excel.ts';
import { pdfText } from './pdf.ts';
import { slidesText } from './slides.ts';
import { wordText } from './word.ts';
import { DocumentError, MOST, Work } from './work.ts';
import { Zip } from './zip.ts';

const READERS: Readonly<Record<string, (bytes: Uint8Array, work: Work) => string>> = {
  pdf: pdfText,
  docx: (bytes, work) => wordText(new Zip(bytes, work), work),
  xlsx: (bytes, work) => excelText(new Zip(bytes, work), work),
  xlsm: (bytes, work) => excelText(new Zip(bytes, work), work),
  pptx: (bytes, work) => slidesText(new Zip(bytes, work), work),
};

/** null: it is of no kind that is converted. Throws DocumentError. */
export function convertedText(name: string, bytes: Uint8Array): string | null {
  const reader = READERS[name.slice(name.lastIndexOf('.') + 1).toLowerCase()];
  if (!reader) return null;
  if (bytes.length > MOST.file) throw new DocumentError(`It has more than ${MOST.file / 2 ** 20} MiB.`);
  return reader(bytes, new Work());
}
