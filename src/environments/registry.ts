// All environments, one line each. A new one is a folder and a line here; `npm run new -- environment NAME` writes both.
export { AGENTS } from './agents/presentation.ts';
export { ARITHMETIC } from './arithmetic/presentation.ts';
export { CHAIN } from './chain/presentation.ts';
export { CHARACTERS } from './characters/presentation.ts';
export { CODE } from './code/presentation.ts';
export { CUSTOM } from './custom/presentation.ts';
export { EXPLAIN } from './explain/presentation.ts';
export { INSTRUCTIONS } from './instructions/presentation.ts';
export { LEETCODE } from './leetcode/presentation.ts';
export { LOOKUP } from './lookup/presentation.ts';
