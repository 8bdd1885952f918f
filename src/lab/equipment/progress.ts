// How the opening of a model tells how far it is.
/** `etaSeconds` where it is known. */
export type OnProgress = (what: string, done: number, total: number, etaSeconds?: number | null) => void;
