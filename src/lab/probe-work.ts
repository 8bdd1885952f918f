// How much work a probe is, in gradients of single completions: what its price and its time left are counted in. Alone, because
// the page asks for it too and must not bring the probe along.

/** Both sides of every pair: for the basis, for the GRPO-contrastive one, and once more cut to one length. Then the pool, twice. */
export function probeWork(samples: number, problems: number, pairs: number) {
  const [bases, replay] = [6 * pairs, samples * problems];
  return { bases, replay, all: bases + 2 * replay };
}
