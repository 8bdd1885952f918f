// Documents as text: which formats are read, the limits of reading one, and the results of the conversion when the scenario was loaded
// (apps/files/documents). Tools answer at once, so they look up a text and never convert.
import { LabError } from '@projected-grpo-lab/base/errors.ts';
import { toBase64 } from './base64.ts';

const KINDS = { pdf: 'pdf', docx: 'docx', xlsx: 'xlsx', xlsm: 'xlsx' } as const;
export type DocumentKind = (typeof KINDS)[keyof typeof KINDS];

/**
 * Most bytes of a file, of an unpacked Office file, of a worker's heap and of the buffers for one document; cells of a sheet; characters of
 * a text; documents of a scenario; seconds for one document, and for all of a scenario.
 */
export const MOST = {
  file: 16 * 2 ** 20,
  unpacked: 32 * 2 ** 20,
  heap: 256 * 2 ** 20,
  buffers: 256 * 2 ** 20,
  cells: 200_000,
  text: 4_000_000,
  documents: 64,
  seconds: 3,
  secondsInAll: 20,
} as const;

/** A document that cannot be read, or exceeds a limit. */
export class DocumentError extends LabError {
  constructor(message: string) {
    super(message, 'Save the document anew: smaller, without encryption, as text, PDF, .docx or .xlsx.');
  }
}

export interface Document {
  readonly name: string;
  readonly kind: DocumentKind;
  readonly bytes: Uint8Array;
}

/** Formats that are read, for messages. */
export const KINDS_READ = 'text, PDF, Word (.docx) and Excel (.xlsx, .xlsm) are';

/** Formats without a library that runs on Node 20 and in a browser: PowerPoint, old Office, OpenDocument. */
const REFUSED = ['pptx', 'pptm', 'ppt', 'doc', 'xls', 'odt', 'ods', 'odp'];
const endingOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase();

/** Throws DocumentError for a format that is not read. */
export function checkRead(name: string): void {
  const ending = endingOf(name);
  if (REFUSED.includes(ending))
    throw new DocumentError(`Documents of the kind .${ending} are not read here; ${KINDS_READ}.`);
}

/** Format by the extension of the file's name; null if it is not converted. */
export function documentKind(name: string): DocumentKind | null {
  const ending = endingOf(name);
  return Object.hasOwn(KINDS, ending) ? KINDS[ending as keyof typeof KINDS] : null;
}

type Outcome = { readonly text: string } | { readonly problem: string };

/** Converted documents by their contents. */
export class Documents {
  private readonly outcomes = new Map<string, Outcome & { readonly name: string }>();

  /** The text of a document. Throws DocumentError if it could not be read, or was created after its scenario was loaded. */
  textOf(kind: DocumentKind, bytes: Uint8Array): string {
    const outcome = this.outcomes.get(keyOf(kind, bytes));
    if (!outcome)
      throw new DocumentError(
        'It is no document that the scenario was loaded with: files get their text then, by the name that they have.',
      );
    if ('problem' in outcome) throw new DocumentError(outcome.problem);
    return outcome.text;
  }

  has({ kind, bytes }: Document): boolean {
    return this.outcomes.has(keyOf(kind, bytes));
  }

  add({ name, kind, bytes }: Document, outcome: Outcome): void {
    this.outcomes.set(keyOf(kind, bytes), { name, ...outcome });
  }

  /** Sentences for the user on documents that could not be read, and why. */
  get problems(): string[] {
    return [...this.outcomes.values()].flatMap((one) =>
      'problem' in one ? [`${one.name} is no text for the agent: ${one.problem}`] : [],
    );
  }
}

const keyOf = (kind: DocumentKind, bytes: Uint8Array): string => `${kind} ${toBase64(bytes)}`;
