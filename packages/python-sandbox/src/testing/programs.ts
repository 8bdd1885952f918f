// A program shared by several test files: correct, short, without imports.
export const ADD_THREE = [
  'class Solution:',
  '    def solve(self, x):',
  '        return x + 3',
  '    def run_tests(self):',
  '        assert self.solve(1) == 4',
  '        assert self.solve(-3) == 0',
].join('\n');
