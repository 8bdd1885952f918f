// Every environment's line of the registry: one export an environment.
export { AGENTS } from './agents/entry.ts';
export { ARITHMETIC } from './arithmetic/entry.ts';
export { CHAIN } from './chain/entry.ts';
export { CHARACTERS } from './characters/entry.ts';
export { CODE } from './code/entry.ts';
export { EXPLAIN } from './explain/entry.ts';
export { LEETCODE } from './leetcode/entry.ts';
export { LOOKUP } from './lookup/entry.ts';
