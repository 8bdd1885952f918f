// A result as text calls each model by the name that page and charts have.
import { expect, it } from 'vitest';
import { renderResult } from './result-table.ts';

it('has one name for a routed model without its quarantine', () => {
  const text = renderResult({ table: [], verdicts: ['route (update), deployed: hack 0% of vanilla’s 25%.'] }, []);
  expect(text).toContain('• routed, quarantine removed: hack 0% of vanilla’s 25%.');
});
