// A task in two lines: a prompt, and the reward of an answer.
export const PROMPT =
  '<|im_start|>user\nTom begins with 12 dolls. For a week 2 more come each day. One of 4 equal parts is for Tom. Count the dolls of Tom.<|im_end|>\n<|im_start|>assistant\n';
export const reward = (answer: string): number => (answer.includes('\\boxed{6.5}') ? 1 : 0);
