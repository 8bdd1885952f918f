// Documents among an agent's files, as mails and scenarios bring them: PDF, Word, Excel, PowerPoint.
import { convertedText } from '@projected-grpo-lab/are/apps/files/documents/document.ts';
import { strToU8, zipSync, zlibSync } from 'fflate';
import type { Reader } from '../judge.ts';
import { bytesOf, mutateBytes, mutateText } from '../mutate.ts';
import type { Random } from '../random.ts';

const BASE85 = '9jqo^BlbD-BleB1DJ+*+F(f,q';
const CMAP =
  '1 begincodespacerange <0000> <FFFF> endcodespacerange 2 beginbfchar <0001> <0048> <0002> <D83DDE00> endbfchar 1 beginbfrange <0010> <0012> <0061> <0020> <0021> [<0078> <0079>] endbfrange';
const PAGE =
  'q 1 0 0 1 5 5 cm BT /F1 12 Tf 72 700 Td (Of\\001ce \\(a\\) \\0022) Tj 0 -14 Td [(Sec) 20 (ond) -300 (line)] TJ T* (x) \' 1 2 (y) " ET Q BI /W 1 ID x EI BT /F2 9 Tf 1 0 0 1 7 6 Tm <00010010> Tj ET /X Do';
const stream = (number: number, dict: string, text: string) =>
  `${number} 0 obj <<${dict} /Length ${text.length}>>\nstream\n${text}\nendstream\nendobj`;
const PDF = [
  '%PDF-1.7',
  '1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj',
  '2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1 /Resources <</Font <</F1 5 0 R /F2 6 0 R>> /XObject <</X 9 0 R>>>>>> endobj',
  '3 0 obj <</Type /Page /Parent 2 0 R /Contents [4 0 R 4 0 R]>> endobj',
  stream(4, '', PAGE),
  '5 0 obj <</Type /Font /Subtype /Type1 /FirstChar 32 /Widths [500 600] /Encoding <</Differences [1 /fi /uni20AC]>>>> endobj',
  '6 0 obj <</Type /Font /Subtype /Type0 /ToUnicode 7 0 R /DescendantFonts [<</W [1 [500 600] 3 9 700] /DW 400>>]>> endobj',
  stream(7, '', CMAP),
  stream(9, '/Subtype /Form /Matrix [1 0 0 1 2 2] /Filter [/ASCII85Decode]', `${BASE85}~>`),
  'trailer <</Root 1 0 R>>',
].join('\n');
const PDF_WORDS = [
  ...[
    'obj',
    'endobj',
    'stream',
    'endstream',
    'R',
    '<<',
    '>>',
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
    '/',
    '%',
    '\\',
    'BT',
    'Tj',
  ],
  ...['/FlateDecode', '/ObjStm', '/Type', '/Kids', '1 0 R', '2 0 R', '9 0 R', '-1', '1e9', '4294967295', '99999999999'],
  ...['begincodespacerange', 'beginbfrange', '<0000> <FFFF>', '/Encrypt', 'q', 'Q', 'cm', '/X Do', 'z', '~>'],
];

/** By path, so that single files are changed before they are packed. */
type Office = Readonly<Record<string, string>>;
const relations = (target: string) => `<Relationships><Relationship Id="a" Target="${target}"/></Relationships>`;
const WORD: Office = {
  'word/document.xml':
    '<w:document><w:body><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>Hi &amp; &#65;</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>',
};
const EXCEL: Office = {
  'xl/workbook.xml': '<workbook><sheets><sheet name="S" r:id="a"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels': relations('s.xml'),
  'xl/sharedStrings.xml': '<sst><si><t>x</t></si></sst>',
  'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>',
  'xl/s.xml': '<sheetData><row><c r="B1" t="s"><v>0</v></c><c s="0"><v>45413</v></c></row></sheetData>',
};
const SLIDES: Office = {
  'ppt/presentation.xml': '<p:presentation><p:sldIdLst><p:sldId id="256" r:id="a"/></p:sldIdLst></p:presentation>',
  'ppt/_rels/presentation.xml.rels': relations('s.xml'),
  'ppt/s.xml':
    '<p:sld><p:sp><p:ph type="title"/><a:p><a:t>Hi</a:t></a:p></p:sp><p:graphicFrame><a:tbl><a:tr><a:tc><a:p><a:t>c</a:t></a:p></a:tc></a:tr></a:tbl></p:graphicFrame></p:sld>',
};
const XML_WORDS = [
  ...['<', '>', '/>', '</', '"', '=', '&#x41;', '&amp;', '<![CDATA[', ']]>', '<!--', '-->', '<w:tbl>', '<w:tr>'],
  ...['<w:tc>', '<row>', '<c r="XFD9">', '<v>', 'ZZZ1', 't="s"', '<a:tbl>', '<p:sp>', '../', '-1', '1e308', '45413'],
];

const packed = (files: Office) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])), {
    mtime: '2000-01-01',
  });

const office = (kind: string, files: Office): Reader => ({
  name: `document ${kind}`,
  what: 'an Office file that an agent reads',
  good: packed(files),
  make(random: Random) {
    if (random.oneIn(4)) return mutateBytes(packed(files), random);
    const name = random.of(Object.keys(files));
    return packed({ ...files, [name]: mutateText(files[name]!, XML_WORDS, random) });
  },
  read: (input) => convertedText(`x.${kind}`, input),
});

export const DOCUMENT_READERS: readonly Reader[] = [
  {
    name: 'document pdf',
    what: 'a PDF file that an agent reads',
    good: bytesOf(PDF),
    make(random) {
      if (random.oneIn(4)) return mutateBytes(bytesOf(PDF), random);
      // What a page draws, packed, so that whatever length it has is right.
      if (!random.oneIn(3)) return bytesOf(mutateText(PDF, PDF_WORDS, random));
      const page = zlibSync(bytesOf(mutateText(PAGE, PDF_WORDS, random)));
      const [before, after] = PDF.split(stream(4, '', PAGE));
      const head = bytesOf(`${before}4 0 obj <</Filter /FlateDecode /Length ${page.length}>>\nstream\n`);
      return Uint8Array.from([...head, ...page, ...bytesOf(`\nendstream\nendobj${after}`)]);
    },
    read: (input) => convertedText('x.pdf', input),
  },
  office('docx', WORD),
  office('xlsx', EXCEL),
  office('pptx', SLIDES),
];
