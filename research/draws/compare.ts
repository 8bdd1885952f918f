// Old → new: placeholder until written below.
import type { HeadlineRows } from '../headlines/claims.ts';
export const comparisonText = (_rows: HeadlineRows, _root: string): string => '';
