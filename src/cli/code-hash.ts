// Hash of the code that decides a run, written into the program by the build (scripts/tool/code-hash.mjs). Equal hashes compute equal runs,
// on one kind of device; the page and the other commands are not hashed.
declare const __CODE_HASH__: string | undefined;

/** 16 hex digits; null where nothing was built (sources under test): then nothing is claimed, and nothing compared. */
export const codeHash = (): string | null => (typeof __CODE_HASH__ === 'undefined' ? null : __CODE_HASH__);
