// Two small problems of our own in the benchmark's format, so that tests need no file: a list answer with a tree from the setup, and a float
// answer with infinity. Their canonical programs have helpers outside the class and unusual indentation.

import { fileURLToPath } from 'node:url';

const SETUP = `import math
from typing import *
from collections import *
from functools import *

inf = float('inf')

class TreeNode:
    def __init__(self, val=0, left=None, right=None):
        self.val = val
        self.left = left
        self.right = right

def tree_node(values: list):
    nodes = [TreeNode(v) if v is not None else None for v in values]
    for i, node in enumerate(nodes):
        if node is not None:
            node.left = nodes[2 * i + 1] if 2 * i + 1 < len(nodes) else None
            node.right = nodes[2 * i + 2] if 2 * i + 2 < len(nodes) else None
    return nodes[0] if nodes else None
`;

const prompt = (question: string, name: string, starter: string) => [
  { role: 'system', content: 'You are a Python programmer.' },
  {
    role: 'user',
    content: `PROBLEM:\n${question}\n\nYour solution should be a method of the class Solution called ${name} and should pass all tests. Use the following starter code:\n\`\`\`python\n${starter}\n\`\`\`\n\nSOLUTION:\n`,
  },
];

const LEVELS =
  'class Solution:\n    def levelSums(self, root: Optional[TreeNode], skip: int = 0) -> List[int]:\n        ';
const SLOPE = 'class Solution:\n    def steepest(self, points: List[List[float]]) -> float:\n        ';

export const PROBLEM_ROWS = [
  {
    id: 1,
    difficulty: 'medium',
    prompt: prompt('Given a binary tree, return the sum of each level. Ties do not matter.', 'levelSums', LEVELS),
    gt_answer: [
      'assert Solution().levelSums(root = tree_node([1, 2, 3])) == [1, 5]',
      'assert Solution().levelSums(root = tree_node([5])) == [5]',
      'assert Solution().levelSums(root = tree_node([])) == []',
      'assert Solution().levelSums(root = tree_node([1, 2, 3, None, 4]), skip = 1) == [5, 4]',
      'assert Solution().levelSums(root = tree_node([10**18, 10**18, 10**18])) == [1000000000000000000, 2000000000000000000]',
      'assert Solution().levelSums(root = tree_node([0, -1, 1])) == [0, 0]',
    ],
    setup_code: SETUP,
    func_name: 'Solution().levelSums',
    canonical_solution: `def sums(row):
  while row:
    yield sum(node.val for node in row)
    row = [child for node in row for child in (node.left, node.right) if child]


class Solution:
  # Level by level.
  def levelSums(self, root: Optional[TreeNode], skip: int = 0) -> List[int]:
    return list(sums([root] if root else []))[skip:]


UNUSED = 1
`,
    prompt_metadata: { starter_code: LEVELS },
  },
  {
    id: 'slope-2',
    prompt: prompt('Return the largest slope between neighbours.', 'steepest', SLOPE),
    gt_answer: [
      'assert Solution().steepest(points = [[0, 0], [1, 0.5], [2, 4]]) == 3.5',
      'assert Solution().steepest(points = [[0, 0]]) == -inf',
      'assert Solution().steepest(points = [[0, 0], [0, 1]]) == inf',
      'assert Solution().steepest(points = [[0, 0], [4, -1]]) == -0.25',
    ],
    setup_code: SETUP,
    func_name: 'Solution().steepest',
    canonical_solution: `class Solution:
    def steepest(self, points: List[List[float]]) -> float:
        @cache
        def f(i):
            if i == 0:
                return -math.inf
            (x0, y0), (x1, y1) = points[i - 1], points[i]
            return max(f(i - 1), (y1 - y0) / (x1 - x0) if x1 != x0 else math.inf)
        return f(len(points) - 1)
`,
    prompt_metadata: { starter_code: SLOPE },
  },
] as const;

export const problemLines = (rows: readonly object[] = PROBLEM_ROWS): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('');

// Path of the benchmark's sample. It is not part of the project, and its tests are skipped if it is missing.

export const SAMPLE_PROBLEMS = fileURLToPath(
  new URL('../../../../../shared/data/leetcode_medhard_sample.jsonl', import.meta.url),
);
