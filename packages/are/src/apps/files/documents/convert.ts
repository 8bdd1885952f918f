// Converts documents, in a worker that its host can terminate (converter.ts). The libraries are third-party and not written for hostile
// files, so a conversion may never end. A Node thread gets this function as text and the browser imports it: it uses only its parameters
// and the platform's globals.
import type { DocumentKind, MOST } from '../../../documents.ts';

export interface ToConverter {
  readonly id: number;
  readonly kind: DocumentKind;
  readonly bytes: Uint8Array;
}

/** `started`: the libraries are loaded, and the document's time limit starts. */
export type FromConverter = { readonly id: number } & (
  | { readonly started: true }
  | { readonly text: string }
  | { readonly problem: string }
);

export interface ConverterEndpoint {
  post(message: FromConverter): void;
  listen(take: (message: ToConverter) => void): void;
}

export interface Libraries {
  fflate(): Promise<typeof import('fflate')>;
  pdf(): Promise<typeof import('unpdf')>;
  word(): Promise<typeof import('mammoth')>;
  excel(): Promise<typeof import('read-excel-file/universal')>;
  markdown(): Promise<typeof import('node-html-markdown')>;
}

/** Answers each message with `started` and then a text or a problem, in order. */
export function serveConversions(endpoint: ConverterEndpoint, libraries: Libraries, most: typeof MOST): void {
  class Refused extends Error {}
  const mebi = (bytes: number) => `${bytes / 2 ** 20} MiB`;
  let allocated = 0;
  const checkBuffers = () => {
    if (allocated > most.buffers) throw new Refused(`Reading it takes more than ${mebi(most.buffers)} of buffers.`);
  };
  // Buffers are outside V8's heap, and a thread's limits cover only the heap.
  const counted = <K extends { new (...given: never[]): object; BYTES_PER_ELEMENT?: number }>(kind: K): K => {
    const proxy: K = new Proxy(kind, {
      construct(target, given: unknown[], asked) {
        if (typeof given[0] === 'number') allocated += given[0] * (target.BYTES_PER_ELEMENT ?? 1);
        checkBuffers();
        return Reflect.construct(target, given, asked === proxy ? target : asked);
      },
    });
    return proxy;
  };
  for (const kind of [
    ArrayBuffer,
    Int8Array,
    Uint8Array,
    Uint8ClampedArray,
    Int16Array,
    Uint16Array,
    Int32Array,
    Uint32Array,
    Float32Array,
    Float64Array,
  ])
    Reflect.set(globalThis, kind.name, counted(kind));

  class Written {
    private readonly parts: string[] = [];
    private length = 0;

    add(text: string): void {
      this.length += text.length;
      if (this.length > most.text) throw new Refused(`It has more than ${most.text} characters.`);
      this.parts.push(text);
    }

    get text(): string {
      return this.parts.join('');
    }
  }

  /**
   * Repacks the archive's XML files without compression, after a check of their declared sizes: fflate writes no more than a file declares.
   */
  async function unpacked(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    const { unzipSync, zipSync } = await libraries.fflate();
    let size = 0;
    const filter = ({ name, originalSize }: { name: string; originalSize: number }) => {
      if (!/\.(?:xml|rels)$/.test(name)) return false;
      size += originalSize;
      if (size > most.unpacked) throw new Refused(`It unpacks to more than ${mebi(most.unpacked)}.`);
      return true;
    };
    try {
      return zipSync(unzipSync(bytes, { filter }), { level: 0 });
    } catch (error) {
      throw error instanceof Refused
        ? error
        : new Refused(`It is no ZIP archive, as Office files are (${(error as Error).message}).`);
    }
  }

  const readers: Record<DocumentKind, () => Promise<(bytes: Uint8Array) => Promise<string>>> = {
    /** Text in the order in which it is drawn; a form feed ends a page. */
    async pdf() {
      const { getDocumentProxy } = await libraries.pdf();
      // The first file loads the engine, which must not count against that file's time.
      await getDocumentProxy(new Uint8Array()).catch(() => {});
      return async (bytes) => {
        const pdf = await getDocumentProxy(bytes, { verbosity: 0, useSystemFonts: false, disableFontFace: true });
        const written = new Written();
        for (let at = 1; at <= pdf.numPages; at++) {
          const page = await pdf.getPage(at);
          for (const item of (await page.getTextContent()).items)
            if ('str' in item) written.add(`${item.str}${item.hasEOL ? '\n' : ''}`);
          written.add('\n\f');
          page.cleanup();
        }
        return written.text;
      };
    },
    /** Markdown: headings, lists, emphasis, links, tables, footnotes; no pictures. */
    async docx() {
      const [{ convertToHtml }, { NodeHtmlMarkdown }] = await Promise.all([libraries.word(), libraries.markdown()]);
      return async (bytes) => {
        const whole = await unpacked(bytes);
        // The library reads `buffer` in Node and `arrayBuffer` in a browser.
        const input = { buffer: whole as never, arrayBuffer: whole.buffer };
        const options = { includeEmbeddedStyleMap: false, convertImage: (() => []) as never };
        const { value } = await convertToHtml(input, options);
        if (value.length > most.text) throw new Refused(`It has more than ${most.text} characters.`);
        return NodeHtmlMarkdown.translate(value).trim();
      };
    },
    /** One table per sheet, as in pandas: the first row is the header, an empty cell is NaN, a header without a name is "Unnamed: n". */
    async xlsx() {
      const found = await libraries.excel();
      // In Node the default export of a CommonJS module is nested in another default.
      const read = (found.default as unknown as typeof found).default ?? found.default;
      const shown = (value: unknown): string => {
        if (value instanceof Date)
          return value
            .toISOString()
            .replace(/T00:00:00\.000Z$|\.000Z$/, '')
            .replace('T', ' ');
        if (typeof value === 'boolean') return value ? 'True' : 'False';
        return String(value).replace(/\s+/g, ' ').trim().replaceAll('|', '\\|');
      };
      const line = (cells: readonly string[]) => `\n| ${cells.join(' | ')} |`;
      return async (bytes) => {
        const sheets = await read(new Blob([await unpacked(bytes)]));
        const written = new Written();
        let cells = 0;
        for (const [place, { sheet, data }] of sheets.entries()) {
          written.add(`${place > 0 ? '\n\n' : ''}## ${sheet}`);
          for (const [row, values] of data.entries()) {
            cells += values.length;
            if (cells > most.cells) throw new Refused(`It has more than ${most.cells} cells.`);
            const empty = (at: number) => (row === 0 ? `Unnamed: ${at}` : 'NaN');
            written.add(line(values.map((value, at) => (value === null ? empty(at) : shown(value)))));
            if (row === 0) written.add(line(values.map(() => '---')));
          }
        }
        return written.text;
      };
    },
  };

  async function convert({ id, kind, bytes }: ToConverter): Promise<string> {
    const read = await readers[kind]();
    allocated = 0;
    endpoint.post({ id, started: true });
    const text = await read(bytes);
    // A library that continues after a failed allocation has left something out.
    checkBuffers();
    if (text.length > most.text) throw new Refused(`It has more than ${most.text} characters.`);
    return text;
  }

  let last: Promise<void> = Promise.resolve();
  endpoint.listen((message) => {
    const answer = async () => {
      try {
        endpoint.post({ id: message.id, text: await convert(message) });
      } catch (error) {
        const { message: what } = error as Error;
        const problem = error instanceof Refused ? what : `It cannot be read as .${message.kind}: ${what}`;
        endpoint.post({ id: message.id, problem: problem.slice(0, 300) });
      }
    };
    last = last.then(answer);
  });
}
