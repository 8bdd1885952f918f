// Documents as text: Office files and PDF made here, and what hostile ones may cost.
import { zipSync, zlibSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { toBase64 } from '../../support/state.ts';
import { Phone } from '../../testing/phone.ts';
import { sandbox } from '../sandbox-tools.ts';
import { convertedText } from './document.ts';
import { DocumentError, MOST } from './work.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const office = (files: Readonly<Record<string, string>>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, bytesOf(text)])));
const relations = (targets: Readonly<Record<string, string>>) =>
  `<Relationships>${Object.entries(targets)
    .map(([id, target]) => `<Relationship Id="${id}" Type="x" Target="${target}"/>`)
    .join('')}</Relationships>`;

const p = (text: string, properties = '', run = '') =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:rPr>${run}</w:rPr><w:t>${text}</w:t></w:r></w:p>`;
const docx = (body: string) =>
  office({
    'word/document.xml': `<?xml version="1.0"?><!-- c --><w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
  });

describe('Word', () => {
  it('has headings, lists, emphasis, tables and its five entities', () => {
    const table = `<w:tbl>${['ab', 'cd']
      .map((row) => `<w:tr>${[...row].map((cell) => `<w:tc>${p(`${cell}|`)}</w:tc>`).join('')}</w:tr>`)
      .join('')}</w:tbl>`;
    const split =
      '<w:p><w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">bold </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>too</w:t></w:r><w:r><w:t>, plain</w:t></w:r></w:p>';
    const text = convertedText(
      'a/b.DOCX',
      docx(
        [
          p('Report &amp; &#x20AC;&#65;', '<w:pStyle w:val="Heading1"/>'),
          p('one', '<w:numPr><w:ilvl w:val="0"/></w:numPr>'),
          split,
          p('not', '', '<w:b w:val="false"/><w:i/>'),
          table,
          '<w:p/>',
        ].join(''),
      ),
    );
    expect(text).toBe(
      '# Report & €A\n\n* one\n\n**bold too**, plain\n\n*not*\n\n| a\\| | b\\| |\n| --- | --- |\n| c\\| | d\\| |',
    );
  });
});

describe('Excel', () => {
  it('is a table a sheet: shared strings, dates, gaps as pandas has them', () => {
    const cell = (r: string, v: string, more = '') => `<c r="${r}" ${more}><v>${v}</v></c>`;
    const files = {
      'xl/workbook.xml':
        '<workbook><sheets><sheet name="Sales" sheetId="1" r:id="rId1"/><sheet name="Empty" r:id="rId2"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': relations({ rId1: 'worksheets/sheet1.xml', rId2: '/xl/worksheets/sheet2.xml' }),
      'xl/sharedStrings.xml':
        '<sst><si><t>Name</t></si><si><r><t>An</t></r><r><t>a</t></r><rPh><t>x</t></rPh></si></sst>',
      'xl/styles.xml':
        '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[Red]yyyy\\-mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs></styleSheet>',
      'xl/worksheets/sheet1.xml': `<worksheet><sheetData><row r="1">${cell('A1', '0', 't="s"')}${cell('C1', '7')}</row><row r="2">${cell('A2', '1', 't="s"')}${cell('B2', '45413', 's="1"')}<c r="C2" t="inlineStr"><is><t>in</t></is></c>${cell('D2', '1', 't="b"')}</row></sheetData></worksheet>`,
      'xl/worksheets/sheet2.xml': '<worksheet><sheetData/></worksheet>',
    };
    expect(convertedText('x.xlsx', office(files))).toBe(
      '## Sales\n| Name | Unnamed: 1 | 7 | Unnamed: 3 |\n| --- | --- | --- | --- |\n| Ana | 2024-05-01 | in | True |\n\n## Empty',
    );
  });
});

describe('PowerPoint', () => {
  it('is its slides in their order: titles, texts, tables, pictures, notes', () => {
    const shape = (text: string, kind = '') =>
      `<p:sp><p:nvSpPr><p:cNvPr id="1" name="S"/><p:nvPr>${kind && `<p:ph type="${kind}"/>`}</p:nvPr></p:nvSpPr><p:txBody>${text
        .split('\n')
        .map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`)
        .join('')}</p:txBody></p:sp>`;
    const cell = (text: string) => `<a:tc><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`;
    const files = {
      'ppt/presentation.xml':
        '<p:presentation><p:sldIdLst><p:sldId id="256" r:id="b"/><p:sldId id="257" r:id="a"/></p:sldIdLst></p:presentation>',
      'ppt/_rels/presentation.xml.rels': relations({ a: 'slides/slide1.xml', b: 'slides/slide2.xml' }),
      'ppt/slides/slide1.xml': `<p:sld>${shape('Last')}</p:sld>`,
      'ppt/slides/slide2.xml': `<p:sld>${shape('First', 'title')}${shape('one\ntwo')}<p:pic><p:cNvPr id="2" name="Picture 3" descr="a cat"/></p:pic><p:graphicFrame><a:tbl><a:tr>${cell('h')}</a:tr><a:tr>${cell('v')}</a:tr></a:tbl></p:graphicFrame></p:sld>`,
      'ppt/slides/_rels/slide2.xml.rels': relations({ n: '../notesSlides/notesSlide1.xml' }),
      'ppt/notesSlides/notesSlide1.xml': `<p:notes>${shape('Say hello', 'body')}${shape('2', 'sldNum')}</p:notes>`,
    };
    expect(convertedText('x.pptx', office(files))).toBe(
      '<!-- Slide number: 1 -->\n# First\none\ntwo\n\n![a cat](Picture3.jpg)\n\n| h |\n| --- |\n| v |\n\n\n### Notes:\nSay hello\n\n<!-- Slide number: 2 -->\nLast',
    );
  });
});

/** Objects by number, as a file without a table of contents. */
const pdf = (objects: Readonly<Record<number, string | { dict: string; bytes: Uint8Array }>>, trailer = '') =>
  Buffer.concat([
    bytesOf('%PDF-1.7\n'),
    ...Object.entries(objects).flatMap(([number, object]) =>
      typeof object === 'string'
        ? [bytesOf(`${number} 0 obj\n${object}\nendobj\n`)]
        : [
            bytesOf(`${number} 0 obj\n<<${object.dict} /Length ${object.bytes.length}>>\nstream\n`),
            object.bytes,
            bytesOf('\nendstream\nendobj\n'),
          ],
    ),
    bytesOf(`trailer\n<</Root 1 0 R ${trailer}>>\n`),
  ]);
const packed = (text: string, dict = '') => ({ dict: `/Filter /FlateDecode ${dict}`, bytes: zlibSync(bytesOf(text)) });
const book = (contents: ReturnType<typeof packed> | string, more: Parameters<typeof pdf>[0] = {}) => ({
  1: '<</Type /Catalog /Pages 2 0 R>>',
  2: '<</Type /Pages /Kids [3 0 R] /Count 1 /Resources <</Font <</F1 5 0 R /F2 6 0 R>> /XObject <</X 9 0 R>>>>>>',
  3: '<</Type /Page /Parent 2 0 R /Contents 4 0 R>>',
  4: typeof contents === 'string' ? packed(contents) : contents,
  5: '<</Type /Font /Subtype /Type1 /Encoding <</Differences [1 /fi /uni20AC]>>>>',
  6: '<</Type /Font /Subtype /Type0 /ToUnicode 7 0 R>>',
  7: packed(
    '1 begincodespacerange <0000> <FFFF> endcodespacerange 2 beginbfchar <0001> <0048> <0002> <D83DDE00> endbfchar 1 beginbfrange <0010> <0012> <0061> <0020> <0021> [<0078> <0079>] endbfrange',
  ),
  ...more,
});

describe('PDF', () => {
  it('is text in the order in which it is drawn, by the fonts’ tables', () => {
    const text = [
      'BT /F1 12 Tf 72 700 Td (Of\\001ce \\(a\\) \\0022) Tj 0 -14 Td [(Sec) 20 (ond) -300 (line)] TJ T* ET',
      'BI /W 1 ID (not text) EI BT /F2 9 Tf 1 0 0 1 72 600 Tm <00010010001100120002> Tj 90 0 Td <00200021> Tj ET /X Do',
    ].join('\n');
    const form = packed('BT /F1 9 Tf 1 0 0 1 9 9 Tm (in a form) Tj ET', '/Subtype /Form');
    expect(convertedText('x.pdf', pdf(book(text, { 9: form })))).toBe(
      'Ofﬁce (a) €2\nSecond line\nHabc😀 xy\nin a form\n\f'.replace('ﬁ', 'fi'),
    );
  });

  it('has a space where the gap between two texts is one, by the widths of their glyphs', () => {
    // As a browser prints: a page upside down, a font of two-byte codes, words cut at the kerning.
    const text = [
      '.24 0 0 -.24 0 792 cm q 3 0 0 3 100 100 cm BT /F2 16 Tf 1 0 0 -1 13 36 Tm <0010> Tj',
      '16.5 0 Td <0011> Tj', // .5 beyond the first's end: the same word.
      '8 0 Td <0012> Tj', // At the second's end, as wide as half the height.
      '20 0 Td <0020> Tj', // 4 beyond the third's: another word.
      '[<0021> -100 <0010> -400 <0011>] TJ ET Q',
      'q 3 0 0 3 100 160 cm BT /F2 16 Tf 1 0 0 -1 13 36 Tm <0012> Tj ET Q',
    ].join('\n');
    const wide = {
      6: '<</Type /Font /Subtype /Type0 /ToUnicode 7 0 R /DescendantFonts [8 0 R]>>',
      8: '<</Type /Font /W [16 [1000 500] 18 18 1000] /DW 250>>',
    };
    expect(convertedText('x.pdf', pdf(book(text, wide)))).toBe('abc xya b\nc\n\f');
  });

  it('is found where objects are packed, and of a later version of the file', () => {
    const inner = {
      1: '<</Type /Catalog /Pages 2 0 R>>',
      2: '<</Type /Pages /Kids [3 0 R]>>',
      3: '<</Type /Page /Contents [4 0 R 4 0 R] /Resources <</Font <</F 5 0 R>>>>>>',
    };
    const bodies = Object.values(inner);
    const head = bodies
      .map((_, at) => `${at + 1} ${bodies.slice(0, at).join(' ').length + (at > 0 ? 1 : 0)}`)
      .join(' ');
    const file = pdf({
      8: packed(`${head} ${bodies.join(' ')}`, `/Type /ObjStm /N 3 /First ${head.length + 1}`),
      4: packed('BT /F 9 Tf 5 5 Td (old) Tj ET'),
      5: '<</Type /Font /Subtype /TrueType>>',
    });
    const newer = Buffer.concat([file, pdf({ 4: packed('BT /F 9 Tf 5 5 Td (new) Tj ET') })]);
    expect(convertedText('x.pdf', newer)).toBe('new new\n\f');
  });
});

describe('an agent', () => {
  const phone = (name: string, bytes: Uint8Array) => {
    const app = sandbox('Files', 'Files');
    const children = [{ name, type: 'file', base64: toBase64(bytes) }];
    app.loadState({ files: { name: '', type: 'directory', children }, tmpdir: '/x' });
    return new Phone(1, app);
  };

  it('reads documents by `read_document`, as many lines as it asks for', () => {
    const files = phone('a.docx', docx(Array.from({ length: 30 }, (_, at) => p(`line ${at}`)).join('')));
    const text = files.call('Files.read_document', { file_path: 'a.docx', max_lines: 3 });
    expect(text).toBe('line 0\n\nline 1\n\n[Document truncated. Showing 3 of 59 lines]');
  });

  it.each([
    ['a.docx', bytesOf('no archive'), 'It is no ZIP archive, as Office files are.'],
    ['a.pptx', office({ x: '' }), 'It has no ppt/presentation.xml.'],
    ['a.pdf', bytesOf('no pdf'), 'It is no PDF file.'],
    ['a.pdf', pdf(book('x'), '/Encrypt 9 0 R'), 'It is encrypted.'],
    ['a.pdf', pdf(book({ dict: '/Filter /LZWDecode', bytes: bytesOf('x') })), 'LZWDecode, which is not known.'],
    ['a.png', new Uint8Array([255, 0, 255]), 'documents of other kinds are not converted here.'],
  ])('is told why one cannot be read: %s (%#)', (name, bytes, why) => {
    expect(phone(name, bytes).raised('Files.read_document', { file_path: name })).toMatch(
      new RegExp(`^FileNotFoundError: .*could not be read: ${name}. Error: .*${why.replaceAll('.', '\\.')}$`),
    );
  });
});

describe('a hostile document is refused by what it costs', () => {
  const many = (count: number, text: string) => Array(count).fill(text).join('');
  const zeros = new Uint8Array(MOST.unpacked + 1000);
  const bomb = zipSync({ 'word/document.xml': zeros }, { level: 9 });
  const lying = bomb.slice();
  // The directory and the file's own head say that it has 10 bytes.
  for (const [mark, at] of [
    [0x04034b50, 22],
    [0x02014b50, 24],
  ] as const) {
    const view = new DataView(lying.buffer);
    for (let n = 0; n + 4 <= lying.length; n++) if (view.getUint32(n, true) === mark) view.setUint32(n + at, 10, true);
  }
  const cases: readonly (readonly [string, string, () => Uint8Array])[] = [
    ['an archive that unpacks without end', 'b.docx', () => bomb],
    ['one that says it is small', 'b.docx', () => lying],
    ['tags without number', 'b.docx', () => docx(many(MOST.pieces, '<a>'))],
    ['tables in tables', 'b.docx', () => docx(many(50, '<w:tbl><w:tr><w:tc>'))],
    [
      'a table of few rows that is wide without end',
      'b.docx',
      () => docx(`<w:tbl>${many(2000, '<w:tr>')}${many(2000, '<w:tc></w:tc>')}</w:tbl>`),
    ],
    [
      'a cell at the end of the world',
      'b.xlsx',
      () =>
        office({
          'xl/workbook.xml': '<workbook><sheet name="a" r:id="a"/></workbook>',
          'xl/_rels/workbook.xml.rels': relations({ a: 's.xml' }),
          'xl/s.xml': many(30, '<row><c r="ZZZ1"><v>1</v></c></row>'),
        }),
    ],
    [
      'a long text in each of many cells',
      'b.xlsx',
      () =>
        office({
          'xl/workbook.xml': '<workbook><sheet name="a" r:id="a"/></workbook>',
          'xl/_rels/workbook.xml.rels': relations({ a: 's.xml' }),
          'xl/sharedStrings.xml': `<si><t>${'x'.repeat(100_000)}</t></si>`,
          'xl/s.xml': many(5000, '<row><c t="s"><v>0</v></c></row>'),
        }),
    ],
    [
      'a page that is packed without end',
      'b.pdf',
      () => pdf(book({ dict: '/Filter /FlateDecode', bytes: zlibSync(zeros) })),
    ],
    ['operators without number', 'b.pdf', () => pdf(book(many(MOST.pieces, 'q ')))],
    [
      'strings that never end, one an object',
      'b.pdf',
      () => bytesOf(`%PDF-1\n${Array.from({ length: 20_000 }, (_, at) => `${at} 0 obj (${'x'.repeat(20)}`).join(' ')}`),
    ],
    ['values nested in values', 'b.pdf', () => pdf(book('x', { 1: many(100_000, '[') }))],
    [
      'fonts that share one long table',
      'b.pdf',
      () => {
        const fonts = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [at + 20, '<</Encoding 8 0 R>>']));
        const names = Object.keys(fonts).map((at) => `/F${at} ${at} 0 R`);
        return pdf(
          book(
            Object.keys(fonts)
              .map((at) => `/F${at} 1 Tf`)
              .join(' '),
            {
              ...fonts,
              2: `<</Type /Pages /Kids [3 0 R] /Resources <</Font <<${names.join(' ')}>>>>>>`,
              8: `<</Differences [${many(10_000, '/a ')}]>>`,
            },
          ),
        );
      },
    ],
    [
      'a form that draws itself, twice each time',
      'b.pdf',
      () => pdf(book('/X Do', { 9: packed(many(40, '/X Do '), '/Subtype /Form') })),
    ],
  ];
  it.each(cases)('%s', (_, name, make) => {
    const bytes = make();
    expect(() => convertedText(name, bytes)).toThrow(DocumentError);
  });

  it('and one that refers to itself ends', () => {
    const round = {
      1: '<</Type /Catalog /Pages 2 0 R>>',
      2: '<</Kids [2 0 R 3 0 R]>>',
      3: '<</Type /Page /Contents 3 0 R /Resources 3 0 R>>',
    };
    expect(convertedText('x.pdf', pdf(round))).toBe('\n\f');
    const chain = Array.from(
      { length: 5000 },
      (_, at) => `${at + 10} 0 obj <</Length ${at + 11} 0 R>> stream\nx\nendstream`,
    );
    expect(() => convertedText('x.pdf', bytesOf(`%PDF-1\n${chain.join('\n')}`))).toThrow('It has no pages.');
  });
});
