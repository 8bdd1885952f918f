// Tests that style sheets, charts and tables use one name for a routed model without its quarantine.
import { expect, it } from 'vitest';
import { nameOf } from './names.ts';
import { withPageNames } from './page-names.ts';

it('is the name in charts and tables', () => {
  expect(withPageNames('route (update), deployed')).toBe(nameOf('route-update', 'deployed', []));
  expect(withPageNames('route (gradient), deployed')).toBe(nameOf('route', 'deployed', []));
  expect(withPageNames('Route (update), deployed, lowers hack; route (gradient), deployed, lowers it')).toBe(
    'Routed, quarantine removed, lowers hack; routed (gradient), quarantine removed, lowers it',
  );
  expect(withPageNames('route (update) k 5, deployed, hackable only')).toBe(
    'routed k 5, quarantine removed, hackable only',
  );
  expect(withPageNames('route (update), no gate, sentinel, deployed')).toBe(
    'routed, no gate, sentinel, quarantine removed',
  );
  for (const other of [
    'two blocks, in training; two blocks, deployed',
    'route (update) trains as vanilla; random V, deployed',
  ])
    expect(withPageNames(other)).toBe(other);
});
