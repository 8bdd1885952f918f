import { describe, expect, it } from 'vitest';
import { VIEWS, viewAddress, viewOf } from './view.ts';

const at = (href: string) => new URL(href) as unknown as Location;

describe('views', () => {
  it('are read from the query, and an unknown one is the lab', () => {
    for (const { id } of VIEWS) expect(viewOf(`?view=${id}`)).toBe(id);
    expect(viewOf('')).toBe('lab');
    expect(viewOf('?view=%3Cscript%3E')).toBe('lab');
  });

  it('keep the experiment after # and the rest of the query, and never ask for another start', () => {
    const from = at('https://lab.test/deep/?start&x=1#v1.abc');
    expect(viewAddress('device', from)).toBe('https://lab.test/deep/?x=1&view=device#v1.abc');
    expect(viewAddress('lab', at(viewAddress('device', from)))).toBe('https://lab.test/deep/?x=1#v1.abc');
  });
});
