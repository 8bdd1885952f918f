// Every environment's terms: one export an environment.
export { AGENTS_TERMS } from './agents/terms.ts';
export { ARITHMETIC_TERMS } from './arithmetic/terms.ts';
export { CHAIN_TERMS } from './chain/terms.ts';
export { CHARACTERS_TERMS } from './characters/terms.ts';
export { CODE_TERMS } from './code/terms.ts';
export { EXPLAIN_TERMS } from './explain/terms.ts';
export { LEETCODE_TERMS } from './leetcode/terms.ts';
export { LOOKUP_TERMS } from './lookup/terms.ts';
