// Tests the text of documents (Office files and PDF made here) and the limits for hostile ones.
import { existsSync, readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { strToU8, zipSync, zlibSync } from 'fflate';
import { describe, expect, it, vi } from 'vitest';
import { toBase64 } from '../../../base64.ts';
import { documentKind, MOST } from '../../../documents.ts';
import { makeScenario } from '../../../scenario/import.ts';
import { documentsOf, parseTrace, type Trace } from '../../../scenario/schema.ts';
import { IMPORTABLE_CLASSES } from '../../registry.ts';
import { Phone } from '../../testing/phone.ts';
import { startNodeConverter } from './converter.node.ts';
import { type Converter, convertDocuments } from './converter.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const office = (files: Readonly<Record<string, string | Uint8Array>>) =>
  zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, text]) => [name, typeof text === 'string' ? strToU8(text) : text]),
    ),
  );
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relations = (targets: Readonly<Record<string, readonly [type: string, target: string]>>) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${Object.entries(targets)
    .map(([id, [type, target]]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const p = (text: string, properties = '', run = '') =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:rPr>${run}</w:rPr><w:t>${text}</w:t></w:r></w:p>`;
const docx = (body: string) =>
  office({
    '_rels/.rels': relations({ a: ['officeDocument', 'word/document.xml'] }),
    'word/document.xml': `<?xml version="1.0"?><!-- c --><w:document xmlns:w="${W}"><w:body>${body}</w:body></w:document>`,
  });

const xlsx = (sheet: string, more: Readonly<Record<string, string>> = {}) =>
  office({
    'xl/workbook.xml':
      '<workbook><sheets><sheet name="Sales" sheetId="1" r:id="rId1"/><sheet name="Empty" sheetId="2" r:id="rId2"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relations({
      rId1: ['worksheet', 'worksheets/sheet1.xml'],
      rId2: ['worksheet', '/xl/worksheets/sheet2.xml'],
      rId3: ['sharedStrings', 'sharedStrings.xml'],
      rId4: ['styles', 'styles.xml'],
    }),
    'xl/sharedStrings.xml':
      '<sst><si><t>Name</t></si><si><r><t>An</t></r><r><t>a</t></r><rPh><t>x</t></rPh></si></sst>',
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[Red]yyyy\\-mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
    'xl/worksheets/sheet2.xml': '<worksheet><sheetData/></worksheet>',
    ...more,
  });
const cell = (r: string, v: string, more = '') => `<c r="${r}" ${more}><v>${v}</v></c>`;

/** Objects by number, with a cross-reference table. */
const pdf = (objects: Readonly<Record<number, string | { dict: string; bytes: Uint8Array }>>) => {
  const parts: Uint8Array[] = [bytesOf('%PDF-1.7\n')];
  const places: string[] = [];
  const put = (...more: Uint8Array[]) => void parts.push(...more);
  const length = () => parts.reduce((sum, { length: one }) => sum + one, 0);
  for (const [number, object] of Object.entries(objects)) {
    places.push(`${number} 1\n${String(length()).padStart(10, '0')} 00000 n \n`);
    if (typeof object === 'string') put(bytesOf(`${number} 0 obj\n${object}\nendobj\n`));
    else {
      put(bytesOf(`${number} 0 obj\n<<${object.dict} /Length ${object.bytes.length}>>\nstream\n`), object.bytes);
      put(bytesOf('\nendstream\nendobj\n'));
    }
  }
  const start = length();
  put(
    bytesOf(
      `xref\n0 1\n0000000000 65535 f \n${places.join('')}trailer\n<</Root 1 0 R /Size 20>>\nstartxref\n${start}\n%%EOF\n`,
    ),
  );
  return new Uint8Array(Buffer.concat(parts));
};
const packed = (text: string, dict = '') => ({ dict: `/Filter /FlateDecode ${dict}`, bytes: zlibSync(bytesOf(text)) });
const book = (contents: ReturnType<typeof packed> | string, more: Parameters<typeof pdf>[0] = {}) =>
  pdf({
    1: '<</Type /Catalog /Pages 2 0 R>>',
    2: '<</Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 612 792] /Resources <</Font <</F1 5 0 R>> /XObject <</X 9 0 R>>>>>>',
    3: '<</Type /Page /Parent 2 0 R /Contents 4 0 R>>',
    4: typeof contents === 'string' ? packed(contents) : contents,
    5: '<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>',
    ...more,
  });

const TRACE = { version: 'are_simulation_v1', metadata: { definition: { scenario_id: 's' } } };
const traceOf = (...files: (readonly [name: string, bytes: Uint8Array])[]): Trace =>
  parseTrace(
    JSON.stringify({
      ...TRACE,
      apps: [
        {
          name: 'Files',
          class_name: 'Files',
          app_state: {
            files: {
              name: '',
              type: 'directory',
              children: files.map(([name, bytes]) => ({ name, type: 'file', base64: toBase64(bytes) })),
            },
          },
        },
      ],
    }),
  );
const converted = (...files: Parameters<typeof traceOf>) => convertDocuments(traceOf(...files), startNodeConverter);
const textOf = async (name: string, bytes: Uint8Array) =>
  documentsOf(await converted([name, bytes])).textOf(documentKind(name) as 'pdf', bytes);

describe('the text of a document', () => {
  it('of Word has headings, lists, emphasis, links and tables', async () => {
    const table = `<w:tbl>${['ab', 'cd']
      .map((row) => `<w:tr>${[...row].map((one) => `<w:tc>${p(`${one}|`)}</w:tc>`).join('')}</w:tr>`)
      .join('')}</w:tbl>`;
    const split =
      '<w:p><w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">bold </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>too</w:t></w:r><w:r><w:t>, plain</w:t></w:r></w:p>';
    const body = [
      p('Report &amp; &#x20AC;&#65;', '<w:pStyle w:val="Heading1"/>'),
      split,
      p('not', '', '<w:b w:val="false"/><w:i/>'),
      table,
      '<w:p/>',
    ];
    expect(await textOf('a.DOCX', docx(body.join('')))).toBe(
      '# Report & €A\n\n**bold too**, plain\n\n_not_\n\n| a\\| | b\\| |\n| --- | --- |\n| c\\| | d\\| |',
    );
  });

  it('of Excel is one table per sheet, with shared strings, dates, and gaps as in pandas', async () => {
    const rows = [
      `<row r="1">${cell('A1', '0', 't="s"')}${cell('C1', '7')}</row>`,
      `<row r="2">${cell('A2', '1', 't="s"')}${cell('B2', '45413', 's="1"')}<c r="C2" t="inlineStr"><is><t>in|n</t></is></c>${cell('D2', '1', 't="b"')}</row>`,
      `<row r="3">${cell('A3', '1.5')}${cell('B3', '45413.75', 's="1"')}</row>`,
    ];
    expect(await textOf('x.xlsx', xlsx(rows.join('')))).toBe(
      '## Sales\n| Name | Unnamed: 1 | 7 | Unnamed: 3 |\n| --- | --- | --- | --- |\n| Ana | 2024-05-01 | in\\|n | True |\n| 1.5 | 2024-05-01 18:00:00 | NaN | NaN |\n\n## Empty',
    );
  });

  it('of PDF is in drawing order, with a form feed at the end of each page', async () => {
    const text =
      'BT /F1 12 Tf 72 700 Td (Office \\(a\\)) Tj 0 -14 Td [(Sec) 20 (ond) -300 (line)] TJ ET BI /W 1 /H 1 /BPC 8 /CS /G ID x EI /X Do';
    const form = packed('BT /F1 9 Tf 1 0 0 1 9 9 Tm (in a form) Tj ET', '/Subtype /Form /BBox [0 0 99 99]');
    expect(await textOf('x.pdf', book(text, { 9: form }))).toBe('Office (a)\nSecond linein a form\n\f');
  });
});

const phone = async (trace: Trace) =>
  new Phone(1, ...makeScenario(await convertDocuments(trace, startNodeConverter), IMPORTABLE_CLASSES).apps);

describe('an agent', () => {
  it('reads documents by `read_document`, as many lines as it asks for, even after they were moved', async () => {
    const lines = docx(Array.from({ length: 30 }, (_, at) => p(`line ${at}`)).join(''));
    const files = await phone(traceOf(['a.docx', lines]));
    files.call('Files.mv', { path1: 'a.docx', path2: 'b.docx' });
    const text = files.call('Files.read_document', { file_path: 'b.docx', max_lines: 3 });
    expect(text).toBe('line 0\n\nline 1\n\n[Document truncated. Showing 3 of 59 lines]');
  });

  const one = docx(p('one'));

  it.each<[string, object]>([
    ['a file', { files: { name: '', type: 'directory', children: [{ name: 'a.docx', base64: toBase64(one) }] } }],
    ['an attachment of a mail', { folders: { INBOX: { emails: [{ attachments: { 'a.docx': toBase64(one) } }] } } }],
    ['an attachment of a message', { messages: [{ attachment: toBase64(one), attachment_name: 'a.docx' }] }],
  ])('has the text of %s', async (_, state) => {
    const apps = [{ name: 'App', class_name: 'App', app_state: state }];
    const trace = await convertDocuments(parseTrace(JSON.stringify({ ...TRACE, apps })), startNodeConverter);
    expect(documentsOf(trace).textOf('docx', one)).toBe('one');
  });

  it('is told why a document cannot be read', async () => {
    const cases: readonly (readonly [name: string, bytes: Uint8Array, why: RegExp])[] = [
      ['text.docx', bytesOf('no archive'), /It is no ZIP archive, as Office files are \(.+\)\.$/],
      ['empty.docx', office({ 'x.xml': '' }), /It cannot be read as \.docx: .+$/],
      ['empty.xlsx', office({ 'x.xml': '' }), /It cannot be read as \.xlsx: .+$/],
      ['text.pdf', bytesOf('no pdf'), /It cannot be read as \.pdf: Invalid PDF structure\.$/],
      ['a.pptx', office({ 'ppt/x.xml': '' }), /Documents of the kind \.pptx are not read here; text, PDF, .+ are\.$/],
      ['a.png', new Uint8Array([255, 0, 255]), /It is no text, nor of a kind that is read here; text, PDF, .+ are\.$/],
    ];
    const files = await phone(traceOf(...cases.map(([name, bytes]) => [name, bytes] as const)));
    for (const [name, , why] of cases)
      expect(files.raised('Files.read_document', { file_path: name })).toMatch(
        new RegExp(`^FileNotFoundError: .*could not be read: ${name}. Error: ${why.source}`),
      );
  });

  it('is told that a document created after the scenario was loaded cannot be read', async () => {
    const files = await phone(traceOf(['a.bin', docx(p('x'))]));
    files.call('Files.mv', { path1: 'a.bin', path2: 'a.docx' });
    expect(files.raised('Files.read_document', { file_path: 'a.docx' })).toMatch(
      /It is no document that the scenario was loaded with/,
    );
  });
});

describe('a hostile document is refused by its cost', () => {
  const zeros = new Uint8Array(MOST.unpacked + 1000);
  const bomb = zipSync({ 'word/document.xml': zeros }, { level: 9 });
  const lying = bomb.slice();
  // Both the archive's directory and the file's header declare 10 bytes.
  for (const [mark, at] of [
    [0x04034b50, 22],
    [0x02014b50, 24],
  ] as const) {
    const view = new DataView(lying.buffer);
    for (let n = 0; n + 4 <= lying.length; n++) if (view.getUint32(n, true) === mark) view.setUint32(n + at, 10, true);
  }
  const rows = (count: number, column: string, v: string, more?: string) =>
    Array.from({ length: count }, (_, at) => `<row r="${at + 1}">${cell(`${column}${at + 1}`, v, more)}</row>`).join(
      '',
    );

  it.each<[string, string, Uint8Array, RegExp]>([
    ['an archive that unpacks without end', 'b.docx', bomb, /It unpacks to more than 32 MiB\./],
    ['one that says it is small', 'b.docx', lying, /cannot be read as|no ZIP archive/],
    ['a row that is wide without end', 'b.xlsx', xlsx(rows(20, 'XFD', '1')), /It has more than 200000 cells\./],
    [
      'a long text in each of many cells',
      'b.xlsx',
      xlsx(rows(50, 'A', '0', 't="s"'), {
        'xl/sharedStrings.xml': `<sst><si><t>${'x'.repeat(100_000)}</t></si></sst>`,
      }),
      /It has more than 4000000 characters\./,
    ],
    [
      'a page that is packed without end',
      'b.pdf',
      book(
        { dict: '/Filter /FlateDecode', bytes: zlibSync(zeros) },
        { 3: `<</Type /Page /Parent 2 0 R /Contents [${'4 0 R '.repeat(5)}]>>` },
      ),
      /Reading it takes more than (?:256 MiB of buffers|3 s)\./,
    ],
  ])('%s', async (_, name, bytes, why) => {
    expect(documentsOf(await converted([name, bytes])).problems.join()).toMatch(why);
  });

  it('is refused and its worker terminated if it never ends; the next one gets another worker', async () => {
    // Fake timers run out as soon as the worker has answered.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const ends: Promise<unknown>[] = [];
      const endless = (): Converter => {
        const worker = new Worker(
          'require("node:worker_threads").parentPort.on("message", function ({ id }) { this.postMessage({ id, started: true }); for (;;); })',
          { eval: true },
        );
        ends.push(new Promise((resolve) => worker.once('exit', resolve)));
        return {
          post: (message) => worker.postMessage(message),
          onMessage: (take) => {
            worker.removeAllListeners('message').on('message', (message) => {
              take(message);
              vi.runAllTimers();
            });
          },
          onDied: () => {},
          terminate: () => void worker.terminate(),
        };
      };
      const trace = await convertDocuments(traceOf(['a.pdf', bytesOf('1')], ['b.pdf', bytesOf('2')]), endless);
      expect(documentsOf(trace).problems.sort()).toEqual([
        'a.pdf is no text for the agent: Reading it takes more than 3 s.',
        'b.pdf is no text for the agent: Reading it takes more than 3 s.',
      ]);
      expect(await Promise.all(ends)).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is abandoned if loading the scenario is aborted', async () => {
    const stop = new AbortController();
    const starts = () => {
      queueMicrotask(() => stop.abort(new Error('stopped')));
      return startNodeConverter();
    };
    const loading = convertDocuments(traceOf(['a.docx', docx(p('x'))]), starts, { signal: stop.signal });
    await expect(loading).rejects.toThrow('stopped');
  });

  it('does not prevent its scenario from loading, and is reported in a note', async () => {
    const trace = await converted(['a.docx', bytesOf('no archive')], ['b.docx', docx(p('x'))]);
    expect(makeScenario(trace, IMPORTABLE_CLASSES).skipped).toEqual([
      expect.stringMatching(/^a\.docx is no text for the agent: It is no ZIP archive/),
    ]);
    expect(JSON.stringify(trace)).toBe(JSON.stringify(parseTrace(JSON.stringify(trace))));
  });
});

const ATTACKS = new URL('../../../../../../../shared/attacks/', import.meta.url);
const isThere = existsSync(ATTACKS);
if (!isThere) console.warn('SKIPPED: documents of ../shared/attacks are not there.');
it.skipIf(!isThere)('documents that cost too much are refused, and their worker is terminated', async () => {
  const read = (name: string) => new Uint8Array(readFileSync(new URL(name, ATTACKS)));
  for (const name of ['pdfspaces100k.pdf', 'xlsxfmt.xlsx', 'docxp.docx'])
    expect(documentsOf(await converted([name, read(name)])).problems, name).toHaveLength(1);
  for (const name of ['scenario-docx-oom.json', 'scenario-pdf.json']) {
    const trace = parseTrace(readFileSync(new URL(name, ATTACKS), 'utf8'));
    expect(documentsOf(await convertDocuments(trace, startNodeConverter)).problems, name).toHaveLength(1);
  }
});
