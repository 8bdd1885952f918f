import { LabError, SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { fromWireError, toWireError } from './wire-error.ts';

describe('errors across the worker boundary', () => {
  it('keep their class, message and remedy, however the class is minified', () => {
    // The built page minifies the worker's StoppedError to another name than the page's.
    const { q } = { q: class extends StoppedError {} };
    for (const [error, Class] of [
      [new q('stopped', 'Ask again.'), StoppedError],
      [new SpecError('bad', 'Change it.'), SpecError],
      [new LabError('odd', 'Wait.'), LabError],
    ] as const) {
      const back = fromWireError(toWireError(error));
      expect(back).toBeInstanceOf(Class);
      expect([back.message, back.remedy]).toEqual([error.message, error.remedy]);
    }
  });

  it('of any other class are reported as a fault of the lab', () => {
    expect(toWireError(new TypeError('x'))).toMatchObject({ name: 'TypeError', message: 'x' });
    expect(fromWireError(toWireError('text')).remedy).toMatch(/fault in the lab/);
  });
});
