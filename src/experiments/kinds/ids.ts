// The kinds of thing that the lab keeps: each has its own question, its own plan and its own report. Every layer has one table
// over this list, so that an id without an entry in one of them does not compile (docs/architecture/adding.md names the tables).

export const KIND_IDS = ['run', 'study', 'probe'] as const;
export type KindId = (typeof KIND_IDS)[number];
