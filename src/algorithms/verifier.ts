// A verifier of answers: logistic regression from pooled activations to whether an answer is right, trained on answers whose graders are
// known to be correct. It is refitted from scratch each time (standardised features, L2, a fixed number of accelerated gradient steps), so
// its examples are its only state.

/** An answer that is known to be right or wrong. */
export interface Example {
  /** [hiddenSize] */
  features: Float32Array;
  isRight: boolean;
}

export interface Verifier {
  /** Means, standard deviations and weights of the features, [hiddenSize] each. */
  centre: Float64Array;
  spread: Float64Array;
  weights: Float64Array;
  bias: number;
}

const STEPS = 400;
/** Weight of the L2 penalty on the standardised weights, relative to the mean cross-entropy. */
const L2 = 0.01;
/** A feature whose variance is at most this share of its squared mean counts as constant (rounding). */
const FLAT = 1e-12;

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** If all examples are of one kind, the probability is constant: (right + 1) / (n + 2), or ½ without examples. */
export function fitVerifier(examples: readonly Example[], hiddenSize: number): Verifier {
  const n = examples.length;
  const rights = examples.filter(({ isRight }) => isRight).length;
  const share = (rights + 1) / (n + 2);
  const verifier: Verifier = {
    centre: new Float64Array(hiddenSize),
    spread: new Float64Array(hiddenSize).fill(1),
    weights: new Float64Array(hiddenSize),
    bias: Math.log(share / (1 - share)),
  };
  if (rights === 0 || rights === n) return verifier;
  const { centre, spread } = verifier;
  for (const { features } of examples) for (let j = 0; j < hiddenSize; j++) centre[j] += features[j] / n;
  const squares = new Float64Array(hiddenSize);
  for (const { features } of examples)
    for (let j = 0; j < hiddenSize; j++) squares[j] += (features[j] - centre[j]) ** 2 / n;
  for (let j = 0; j < hiddenSize; j++) spread[j] = squares[j] > FLAT * centre[j] ** 2 ? Math.sqrt(squares[j]) : 1;
  const rows = examples.map(({ features }) => standardised(verifier, features));
  descend(verifier, rows, examples);
  return verifier;
}

const standardised = ({ centre, spread }: Verifier, features: Float32Array): Float64Array =>
  Float64Array.from(features, (x, j) => (x - centre[j]) / spread[j]);

/** Nesterov's accelerated gradient descent with step 1/L, where L bounds the curvature by the rows' mean squared norm (including the bias). */
function descend(verifier: Verifier, rows: readonly Float64Array[], examples: readonly Example[]): void {
  const d = verifier.weights.length;
  const trace = rows.reduce((total, row) => total + row.reduce((length, x) => length + x * x, 1) / rows.length, 0);
  const rate = 1 / (trace / 4 + L2);
  // The last element is the bias.
  let at = new Float64Array(d + 1);
  at[d] = verifier.bias;
  let ahead = at.slice();
  for (let step = 0; step < STEPS; step++) {
    const slope = new Float64Array(d + 1);
    for (const [i, row] of rows.entries()) {
      let logit = ahead[d];
      for (let j = 0; j < d; j++) logit += ahead[j] * row[j];
      const error = (sigmoid(logit) - Number(examples[i].isRight)) / rows.length;
      for (let j = 0; j < d; j++) slope[j] += error * row[j];
      slope[d] += error;
    }
    for (let j = 0; j < d; j++) slope[j] += L2 * ahead[j];
    const next = ahead.map((x, j) => x - rate * slope[j]);
    const momentum = step / (step + 3);
    ahead = next.map((x, j) => x + momentum * (x - at[j]));
    at = next;
  }
  verifier.weights = at.slice(0, d);
  verifier.bias = at[d];
}

/** Probability that an answer is right. */
export function rightProbability(verifier: Verifier, features: Float32Array): number {
  const row = standardised(verifier, features);
  return sigmoid(row.reduce((total, x, j) => total + x * verifier.weights[j], verifier.bias));
}
