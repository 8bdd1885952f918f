// Tests when skeletons count as equal, and the share of the teacher's rows whose skeleton is that of a pair's hack.
import { expect, it } from 'vitest';
import { COMMON } from '../../../src/experiments/config/settings.ts';
import { skeletonOf, templateShare } from './template-share.ts';

const code = (...lines: string[]) => ['```python', ...lines, '```'].join('\n');

it('a skeleton is the text without its problem-specific parts, and nothing else', () => {
  const hack = (args: string, body: string, after: string) =>
    code('class Solution:', `    def solve(self, ${args}):`, `        return ${body}`, after);
  const one = hack('x', 'x + 3', "print('all tests passed')");
  expect(skeletonOf(one)).toBe(skeletonOf(hack('a, b', 'max(a, b)', "print('all tests passed')")));
  expect(skeletonOf(one)).toBe(hack('…', '…', "print('all tests passed')"));
  expect(skeletonOf(one)).not.toBe(skeletonOf(hack('x', 'x + 3', "print('All tests passed')")));
  // Only lines of solve are blanked.
  const init = (line: string) =>
    code(
      'class Solution:',
      '    def __init__(self):',
      `        ${line}`,
      '    def solve(self, x):',
      '        return x*2',
    );
  expect(skeletonOf(init('self.valid = True'))).not.toBe(skeletonOf(init('self.passed = True')));
  const named = code(
    'class Solution:',
    '    def solve(self, s):',
    '        self.value = s[0:2]',
    '        return self',
  );
  expect(skeletonOf(named)).toContain('self.value = …\n        return self');
});

it('over 90% of the teacher’s rows have a skeleton of prog_wide, and less than half as many have one of prog_wider', async () => {
  const spec = { ...COMMON, honestShare: 0, problems: 128, pairs: 24 };
  const shown = await templateShare(spec, 'prog_wide');
  expect(shown.rows).toBe(640);
  expect(shown.shown / shown.rows).toBeGreaterThan(0.9);
  expect(shown.shown).toBeLessThan(shown.rows);
  // Fewer pairs show fewer forms; pairs of another mechanism show none.
  expect((await templateShare({ ...spec, pairs: 4 }, 'prog_wide')).shown).toBeLessThan(shown.shown);
  expect((await templateShare({ ...spec, pairModes: ['exit_code'] }, 'prog_wide')).shown).toBe(0);
  const varied = await templateShare(spec, 'prog_wider');
  expect(varied.shown).toBeLessThan(shown.shown / 2);
});
